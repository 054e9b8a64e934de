import { tiers } from "../../contract/tier.ts";
import type { Flag } from "./flags.ts";

/** Who is asked, as whom. */
export const hostFlags: readonly Flag[] = [
  {
    name: "sandbox",
    help: "ask the built-in sandbox: simulated data, offline and free",
    group: "Hosts and keys",
  },
  {
    name: "tier",
    value: "tier",
    suggests: tiers,
    help: "with --sandbox: whose key to use (default pro)",
    group: "Hosts and keys",
  },
  {
    name: "seed",
    value: "n",
    help: "with --sandbox: another made-up market (default 1)",
    group: "Hosts and keys",
  },
  {
    name: "faults",
    value: "spec",
    help: "with --sandbox: what goes wrong, such as 429x3,500:5% (see: dexdata sandbox --help)",
    group: "Hosts and keys",
  },
  {
    name: "now",
    value: "instant",
    help: "read time bounds as if it were this instant",
    group: "Hosts and keys",
  },
  {
    name: "base-url",
    value: "url",
    help: "REST host instead of the configured one",
    group: "Hosts and keys",
  },
  { name: "key-file", value: "file", help: "read the key from this file", group: "Hosts and keys" },
  {
    name: "profile",
    value: "name",
    suggests: "profiles",
    help: "the stored key to use",
    group: "Hosts and keys",
  },
];
