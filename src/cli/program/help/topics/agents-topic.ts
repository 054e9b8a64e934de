import type { Command } from "../../../commands/command.ts";
import { tableLines } from "./table-topics.ts";

/** What a user may want, and the command for it. */
const tasks: readonly (readonly [task: string, typed: string, plan?: string])[] = [
  ["find by name", "search <text>"],
  ["busiest pools", "pools search <network>"],
  ["busiest tokens", "tokens search <network>"],
  ["one pool", "pool <network> <address>"],
  ["prices now", "prices <network> <address…>"],
  ["past prices", "prices <network> <address…> --at <time>", "dev or higher; with --pool, any"],
  ["trades of a day", "txns <network> <pool> --day yesterday --all"],
  ["candles", "ohlcv <network> <pool> --pool --from -1d"],
  ["live events", "stream <network:address…> --limit 10"],
  ["keep a history", "sync <directory> <list> --kind ohlcv"],
  ["credits left", "usage"],
  ["errors explained", "explain <code>"],
];

const requestCost = "1 per request";

/** Also the source of docs/agents.md. */
export function agentsTopic(commands: readonly Command[]): string {
  const rows = tasks.map(([task, typed, needed]) => {
    const entry = commands.find(({ words }) => `${typed} `.startsWith(`${words} `));
    const { credits, plan } = entry ?? {};
    const cost = typed.includes("--at") ? requestCost : (credits?.brief ?? "free");
    const isPaid = plan?.isBounded === true && !plan.brief.startsWith("any") && !typed.includes("--pool");
    const least = needed ?? (isPaid ? plan.brief : undefined);
    const notes = [
      ...(cost === requestCost ? [] : [cost]),
      ...(least === undefined ? [] : [`plan: ${least}`]),
    ];
    return [task, `dexdata ${typed}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`] as const;
  });
  return `
Commands for programs and agents. A request costs 1 credit unless noted. stdout carries only data.

Tasks:
${tableLines(rows)}

Conventions:
  output  NDJSON in a pipe. --json is short for -o json, and --json=a,b for -o json --fields a,b.
  errors  JSON on stderr per failed input if the output is (ND)JSON in a pipe: code, exit, message, retryable, next.
  cost    --estimate prints the cost of a pull and exits; --max-credits 50 stops before a run spends more.
  lists   txns, dexes, tokens search, pools search: 10 rows without --limit or --all. --receipt FILE shows if it is complete.
  flags   dexdata commands -o json lists the commands; dexdata commands txns -o json describes the flags of one.
  fields  dexdata schema txns lists the fields of a row.
  tests   --sandbox or DEXDATA_SANDBOX=1: simulated data, offline and free. DEXDATA_NOW sets its clock.

Exit codes: 0 success, 1 internal error or invalid response, 2 invalid command line, 3 not found, 4 key or plan, 5 out of
credits, 6 rate limit, 7 network or server error, 8 incomplete. Retry if retryable is true; dexdata help exit-codes has the rest.`;
}
