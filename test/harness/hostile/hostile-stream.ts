import { dexdata } from "../dexdata.ts";
import { findForbidden } from "./forbidden.ts";

/** The outcome of a stream, in the form of the tables. */
export interface Listened {
  readonly exit: number;
  readonly lines: readonly string[];
  /** The last message, without its prefix. */
  readonly says: string | undefined;
  readonly forbidden: string | undefined;
  readonly isBug: boolean;
}

/** Runs a stream that ends after two events or one reconnect. */
export async function listen(flags: string, url: string, timeout = "24h"): Promise<Listened> {
  const { exit, stdout, stderr } = await dexdata(
    `stream ethereum:0x0000000000000000000000000000000000000abc ${flags} --limit 2 --max-reconnects 1 --error-format text`,
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
