import { type Target, tierHint } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import { Failure } from "../../contract/failure.ts";
import { maskKey } from "../../contract/key.ts";
import { findKey } from "../../settings/find-key.ts";
import { checkKeyHosts } from "../../settings/key-hosts.ts";
import type { RunOptions } from "../run-options.ts";
import { type Finding, fail, failed, ok } from "./finding.ts";

/** Which key is used, whether it has the form of one, and whether its tier is known, which decides the hosts. */
export async function checkKey(context: Context, options: RunOptions): Promise<Finding> {
  const { settings } = options;
  try {
    const { found } = await findKey(context, options, settings);
    if (found !== undefined) checkKeyHosts(found, options);
    if (found !== undefined) return ofFound(found.key, found.source, found.tier);
  } catch (cause) {
    if (cause instanceof Failure) return failed("key", cause);
    throw cause;
  }
  const tier = settings.tier.value;
  if (tier !== undefined && tier !== "keyless")
    return fail(
      "key",
      `the tier is set to ${tier}, but there is no key`,
      "store one: dexdata auth login; or unset DEXDATA_TIER",
      2,
    );
  return ok("key", "none: keyless, 15 requests a minute (dexdata auth login stores one)");
}

/** The sandbox has keys of its own, and what is stored is not read. */
export function ofSandbox({ key, tier }: Target): Finding {
  return ok(
    "key",
    key === undefined ? "none: the sandbox, keyless" : `${maskKey(key)} of the sandbox, ${tier}`,
  );
}

function ofFound(key: string, source: string, tier: string | undefined): Finding {
  const shown = `${maskKey(key)} from ${source}`;
  if (tier !== undefined && tier !== "keyless") return ok("key", `${shown}, ${tier}`);
  return fail("key", `${shown} has no known tier, and that decides the host`, tierHint, 2);
}
