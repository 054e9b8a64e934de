import { faultTraits } from "../../sandbox/faults/kinds.ts";
import type { Flag } from "../flags/flags.ts";
import type { Block } from "../help/page.ts";

const group = "Sandbox";

/** What `dexdata sandbox` can be set to. */
export const sandboxFlags: readonly Flag[] = [
  { name: "port", value: "n", help: "first of four ports (default 4747); 0 takes any free ones", group },
  { name: "clock", value: "instant", help: "where its time begins (default now)", group },
  { name: "speed", value: "n", help: "how fast its time runs (default 1); 0 freezes it", group },
  {
    name: "dialect",
    value: "dialect",
    choices: ["spec", "public"],
    help: "forms of the specification (default), or of the public service where they differ",
    group,
  },
  {
    name: "rpm",
    value: "n",
    suggests: ["unlimited"],
    help: "requests a minute instead of the plan's; or unlimited",
    group,
  },
  { name: "minute", value: "duration", help: "length of that minute, such as 6s", group },
  { name: "credits", value: "n", help: "credits instead of the plan's", group },
  { name: "packs", value: "n", help: "credits bought beside the plan; pro only", group },
  { name: "overage-cap", value: "usd", help: "overage up to this spend (default off); pro only", group },
  { name: "latency", value: "duration", help: "hold every answer back for so long", group },
  { name: "log", value: "file", help: "append one JSON line a request", group },
  { name: "env", help: "print export lines for a shell instead", group },
];

/** The grammar of `--faults`, as help shows it. */
export function faultsHelp(): readonly Block[] {
  const kinds = Object.entries({ "400 … 599": { help: "this status; 429=7 waits 7 s" }, ...faultTraits });
  return [
    {
      heading: "Faults",
      prose:
        "--faults <kind>[=value][when][/part of a path], with commas between. When: x3 the first three, @7 the " +
        "seventh, @7-9, @7- from then on, :5% of all, :5%x3 bursts of three; else all. Counted are the requests a " +
        "fault can strike. The same seed strikes the same requests. Kinds:",
      rows: kinds.map(([name, { help }]) => [name, help]),
    },
  ];
}
