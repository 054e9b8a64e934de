import { usageFailure } from "../../contract/failure.ts";
import { tiers } from "../../contract/tier.ts";
import { isFaultProblem, parseFaults } from "../../sandbox/faults/parse-faults.ts";
import { flag } from "./flag.ts";
import { host, readBy, text, toggle, wholeNumber } from "./flag-types.ts";

const group = "Hosts and keys";

export const faults = readBy("text", "spec", (_, typed, name) => {
  const read = parseFaults(typed);
  if (isFaultProblem(read)) throw usageFailure(`--${name} ${read.problem}`, read.next);
  return read;
});

/** Makes another made-up market. */
export const seed = wholeNumber({ min: 0, max: 4_294_967_295 });

/** How fast a sandbox's time runs; 0 for not at all. */
export const speed = readBy("number", "n", (label, typed) => {
  if (/^\d{1,6}(\.\d{1,3})?$/u.test(typed)) return Number(typed);
  throw usageFailure(`${label}: must be a number, 0 or more, such as 0, 1 or 60`);
});

/** Who is asked, as whom. */
export const hostFlags = {
  sandbox: flag(toggle, group, { summary: "ask the built-in sandbox: simulated data, offline and free" }),
  tier: flag(text("tier"), group, {
    suggests: tiers,
    with: "sandbox",
    summary: "whose key to use",
    default: "pro",
  }),
  seed: flag(seed, group, { with: "sandbox", summary: "another made-up market", default: "1" }),
  faults: flag(faults, group, {
    with: "sandbox",
    summary: "what goes wrong, such as 429x3,500:5% (see: dexdata sandbox --help)",
  }),
  now: flag(text("instant", "time"), group, { summary: "read time bounds as if it were this instant" }),
  "base-url": flag(host, group, { summary: "REST host instead of the configured one" }),
  "key-file": flag(text("file", "file"), group, { summary: "read the key from this file" }),
  profile: flag(text("name"), group, { suggests: "profiles", summary: "the stored key to use" }),
};
