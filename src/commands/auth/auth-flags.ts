import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";

/** What decides which service is asked, as whom. */
export const identifying = pick(sharedFlags, "base-url", "key-file", "profile", "sandbox", "tier", "seed");

/** Of commands that ask the service whose a key is. */
export const askingFlags = {
  ...pick(
    sharedFlags,
    "output",
    "no-header",
    "quiet",
    "stats",
    "verbose",
    "error-format",
    "timeout",
    "retries",
    "retry-on",
    "retry-max-time",
    "rpm",
  ),
  ...identifying,
};

export const logoutFlags = {
  all: flag(toggle, "Hosts and keys", {
    summary: "remove every stored key",
    excludes: [{ flag: "profile", why: "all keys, or one of them", next: "give one of the two" }],
  }),
};
