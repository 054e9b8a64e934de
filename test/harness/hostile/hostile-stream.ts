import { dexdata } from "../dexdata.ts";
import { findForbidden } from "./forbidden.ts";

/** What a stream came to, as the tables say it. */
export interface Listened {
  readonly exit: number;
  readonly lines: readonly string[];
  /** The last that it said, without its prefix. */
  readonly says: string | undefined;
  readonly forbidden: string | undefined;
  readonly isBug: boolean;
}

/** A run that two events end, or one further connection. */
export async function listen(flags: string, url: string, timeout = "24h"): Promise<Listened> {
  const { exit, stdout, stderr } = await dexdata(
    `stream ethereum:0xabc ${flags} --limit 2 --max-reconnects 1 --error-format text`,
    {
      env: {
        DEXDATA_TIMEOUT: timeout,
        DEXDATA_STREAMING_PRO_URL: url,
        DEXDATA_PRO_BASE_URL: url,
        DEXDATA_API_KEY: "api_pro_0123456789",
        DEXDATA_TIER: "pro",
      },
      flows: true,
    },
  );
  return {
    exit,
    lines: stdout.split("\n").slice(0, -1),
    says: stderr
      .split("\n")
      .filter((line) => /^(?:error|warning): /u.test(line))
      .at(-1)
      ?.replace(/^\w+: /u, ""),
    forbidden: findForbidden(stdout + stderr),
    isBug: /a bug in dexdata|\n\s+at /u.test(stderr),
  };
}
