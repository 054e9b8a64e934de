import {
  answerWithFaults,
  createFaultCounter,
  createSandboxState,
  handle,
  parseFaults,
} from "./bundled-sandbox.ts";
import { sandboxNow } from "./sandbox.ts";
import type { Script, SeenRequest } from "./scripted-server.ts";

/** One market for all runs of a test file, with separate faults for each run. */
const state = createSandboxState({
  now: () => sandboxNow,
  elapsed: () => performance.now(),
  requestsPerMinute: Number.POSITIVE_INFINITY,
  seed: 1,
});

/** Converts a request to one for the sandbox's paid REST host. */
const toPaidHost = ({ method, url, headers }: SeenRequest) =>
  ({
    method,
    target: url,
    headers: { authorization: headers.authorization },
    remoteAddress: "127.0.0.1",
    host: "rest_paid",
  }) as const;

/** Simulates the paid REST host with these faults, in the format of `--faults`; without faults by default. */
export function faultyService(spec?: string): Script {
  const parsed = spec === undefined ? [] : parseFaults(spec);
  const faults = createFaultCounter(parsed, 1);
  return (request) => {
    const {
      status,
      headers: answered,
      body,
    } = answerWithFaults(toPaidHost(request), { ...state, market: state.market, faults });
    return { mode: "answer", status, headers: answered, body };
  };
}

/** Simulates the paid REST host with a market that advances by this many seconds between requests. */
export function movingService(secondsBetween: () => number): Script {
  let now = sandboxNow;
  return (request) => {
    const {
      status,
      headers: answered,
      body,
    } = handle(toPaidHost(request), { ...state, market: state.market, at: () => Math.floor(now / 1000) });
    now += secondsBetween() * 1000;
    return { mode: "answer", status, headers: answered, body };
  };
}

/** A list of about 30 pages. */
export interface PagedList {
  readonly name: string;
  readonly words: string;
  /** The service returns the number of rows. */
  readonly hasCount: boolean;
}

const pool = "ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const path = "/networks/ethereum/pools/0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
/** A pool and a token with a few hundred trades in each of the 30 slices; the busiest ones have twenty times as many. */
const lessBusy = "0x549c52b279abf9e24c5401f351ba24ed3e07c3d8";
const uni = "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984";
/** 30 slices of a thousand minutes. */
const minutes = "--interval 1m --from 2026-10-31T12:54:00Z --to 2026-11-21T08:54:00Z";

export const pagedLists: readonly PagedList[] = [
  { name: "pools search of a network", words: "pools search fantom --all --page-size 6", hasCount: false },
  {
    name: "pools search",
    words: "pools search --chains fantom,tempo --all --page-size 8",
    hasCount: false,
  },
  { name: "tokens search of a network", words: "tokens search fantom --all --page-size 3", hasCount: false },
  {
    name: "tokens search",
    words: "tokens search --chains fantom,tempo --all --page-size 4",
    hasCount: false,
  },
  { name: "dexes", words: "dexes ethereum --all --page-size 1", hasCount: true },
  { name: "txns", words: `txns ${pool} --from -100m --all --page-size 8`, hasCount: true },
  {
    name: "ohlcv of a token",
    words: `ohlcv ethereum ${uni} ${minutes}`,
    hasCount: false,
  },
  { name: "ohlcv of a pool", words: `ohlcv ethereum ${lessBusy} --pool ${minutes}`, hasCount: false },
  {
    name: "api of a search",
    words: "api /networks/fantom/pools/search --paginate -f limit=6",
    hasCount: false,
  },
  { name: "api of DEXes", words: "api /networks/ethereum/dexes --paginate -f limit=1", hasCount: true },
  {
    name: "api of transactions",
    words: `api ${path}/transactions --paginate -f from=-100m -f limit=8`,
    hasCount: true,
  },
];

/** About 130 pages: crosses page 100. */
export const deepList: PagedList = {
  name: "txns beyond page 100",
  words: `txns ${pool} --from -10h --all --page-size 11`,
  hasCount: true,
};

export const pageFaults = [
  "empty-page",
  "short-page",
  "missing-cursor",
  "stale-page",
  "duplicate-page",
] as const;
