import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { unknownAddresses } from "./ledger.ts";
import { isLong } from "./long.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
/** The long form pulls longer lists. */
const times = isLong ? 2 : 1;

export interface PaidCommand {
  /** `DIR` stands for a directory of the run. */
  readonly words: string;
  readonly stdin?: string;
  readonly hasReceipt?: boolean;
  /** Accepts `--events`. */
  readonly hasEvents?: boolean;
  /** Opens a stream, which the run or a signal may end while events are on their way. */
  readonly isEndless?: boolean;
}

/** Commands that request lists, single records, batches, errors, directories and streams. */
export const paidCommands: readonly PaidCommand[] = [
  { words: `pools search ethereum --limit ${350 * times}`, hasReceipt: true },
  { words: `txns ethereum ${pool} --from -${times}h --all`, hasReceipt: true },
  { words: `ohlcv ethereum ${pool} --interval 1m --from -${12 * times}h`, hasReceipt: true },
  { words: `api /networks/ethereum/tokens/search --paginate --limit ${200 * times}` },
  { words: `api /networks/ethereum/pools/${pool}` },
  { words: "prices ethereum -", stdin: unknownAddresses(64), hasReceipt: true },
  { words: "pool -", stdin: [pool, `0x${"0".repeat(40)}`].map((each) => `ethereum:${each}\n`).join("") },
  { words: `pool eth ${pool}` },
  { words: "prices eth -", stdin: unknownAddresses(64), hasReceipt: true },
  { words: "networks" },
  { words: `sync DIR/lake ethereum:${pool} --from 2026-11-21 --kind transactions,ohlcv` },
  { words: `pool ethereum ${pool} --watch 10s --deadline 45s` },
  { words: "prices ethereum - --watch 5s --deadline 31s", stdin: unknownAddresses(12) },
  {
    words: `txns ethereum ${pool} --follow --from -2m --for 90s -o ndjson`,
    hasEvents: true,
    isEndless: true,
  },
  { words: `txns ethereum ${pool} --follow --poll 20s --for 90s -o ndjson`, hasEvents: true },
  { words: `stream ethereum:${pool} --limit 12 --max-reconnects 3`, hasEvents: true, isEndless: true },
  { words: `stream ethereum:${pool} --limit 40`, hasEvents: true, isEndless: true },
  {
    words: `stream ethereum:${pool} --feed transactions --by pool --for 30s`,
    hasEvents: true,
    isEndless: true,
  },
];

export interface Cost {
  readonly credits: number;
  readonly inDoubt: number;
}

/** Reads the closing line of `--stats`. A run that ended before it sent anything has none. */
export function costIn(stderr: string): Cost {
  const [line] = stderr
    .split("\n")
    .filter((each) => /^\d[\d,]* (?:requests?|events?), .*credit/u.test(each))
    .slice(-1);
  const found = /(?<credits>[\d,]+) credits?(?:, plus up to (?<doubt>[\d,]+) for)?/u.exec(line ?? "")?.groups;
  const numberOf = (text: string | undefined): number => Number((text ?? "0").replaceAll(",", ""));
  return { credits: numberOf(found?.["credits"]), inDoubt: numberOf(found?.["doubt"]) };
}

/** Reads the budget file of the directory; 0 if there is none. */
export function spentIn(state: string): number {
  const names = existsSync(state) ? readdirSync(state) : [];
  const name = names.find((each) => each.startsWith("budget-") && each.endsWith(".json"));
  return name === undefined ? 0 : JSON.parse(readFileSync(path.join(state, name), "utf8")).credits;
}
