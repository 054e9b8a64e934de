import type { Dialect } from "../../src/sandbox/sandbox-exchange.ts";
import type { DisturbanceKind } from "./disturbing/disturbances.ts";

/**
 * Whether the program can know that a response is wrong.
 *
 * - `always`: it contradicts itself, an earlier response or the request, or no row is lost. The pull ends with the same
 *   rows, or with exit 1 or 8 and an incomplete receipt.
 * - `once`: only the next response to the same request shows it. If the service repeats it, it looks like a correct one.
 * - `never`: it looks like a correct one. The rows may be wrong, but the receipt must not claim `count`.
 * - `none`: the service cannot disturb this list in this way.
 */
export type Verdict = "always" | "once" | "never" | "none";

export interface Cell {
  readonly verdict: Verdict;
  /** On the last page of a list, if different. */
  readonly onLastPage?: Verdict;
  readonly why: string;
}

type Row = Readonly<Record<DisturbanceKind, Cell>>;

const cell = (verdict: Verdict, why: string, onLastPage?: Verdict): Cell => ({
  verdict,
  why,
  ...(onLastPage !== undefined && { onLastPage }),
});

const complete = cell("always", "no row is lost, and repeated rows are dropped");
const sameRows = cell("always", "the rows are the same; their order proves nothing");
const noPages = cell("none", "the list is a single response");
const noTotals = cell("none", "the response has no totals");
const noCursor = cell("none", "the response has no cursor");
const noEnd = cell("none", "the response does not say where the list ends");
const looksRight = cell("never", "nothing in the response says how many rows there are");
const noJson = cell("always", "the response is not JSON");
const damage = { page: noJson, cut: noJson };
const anyId = cell("never", "any ID is as good as another");

/** What each kind of list can prove. Reviewed by hand: the property test takes these rows as the truth. */
export const provable = {
  search: {
    stale: cell("always", "its cursor has been sent before, and it has no new row"),
    empty: cell("always", "it announces another page, or the page before announced it"),
    truncated: cell("once", "short although another page follows, but a filter may do that", "never"),
    reordered: sameRows,
    overlap: cell("never", "the service does not count the rows, and a list that moves repeats some"),
    "overlap-front": complete,
    twice: complete,
    "twice-in-place": cell("once", "equal rows in one response, but nothing says how many there are"),
    "no-cursor": cell("always", "has_next_page promises another page"),
    "early-end": cell("never", "every list ends with such a page"),
    "other-totals": noTotals,
    foreign: cell("always", "the chain of the rows and the echo name another network"),
    "changed-id": anyId,
    ...damage,
  },
  counted: {
    stale: cell("always", "another page number, or no new row"),
    empty: cell("always", "fewer rows than its own totals promise"),
    truncated: cell("always", "fewer rows than its own totals promise"),
    reordered: sameRows,
    overlap: cell("always", "fewer new rows than the totals promise"),
    "overlap-front": complete,
    twice: complete,
    "twice-in-place": cell("always", "fewer different rows than the totals promise"),
    "no-cursor": cell("always", "rows that were counted are still missing"),
    "early-end": cell("always", "contradicts its own number of rows, or that of the page before"),
    "other-totals": cell("always", "no row is lost, and the other pages have another total"),
    foreign: cell("always", "the rows name another pool or network"),
    "changed-id": cell("never", "the number of rows is right; the only case in which `count` may be wrong"),
    ...damage,
  },
  /** The first response of a pull that starts at a cursor. The rows after its last row are then counted. */
  fromCursor: {
    stale: cell("none", "there is no earlier response"),
    empty: cell("always", "the rows from its cursor on are counted"),
    truncated: cell("always", "the rows after its last row are counted"),
    reordered: sameRows,
    overlap: cell("none", "there is no page before"),
    "overlap-front": cell("none", "there is no page before"),
    twice: complete,
    "twice-in-place": cell("once", "equal rows in one response, but nothing says how many there are"),
    "no-cursor": cell("always", "the rows after its last row are counted"),
    "early-end": cell("always", "the rows after its last row are counted"),
    "other-totals": noTotals,
    foreign: cell("always", "the rows name another pool"),
    "changed-id": anyId,
    ...damage,
  },
  candles: {
    stale: cell("always", "its candles are from another time range"),
    empty: cell("once", "a hole in a market without other holes, but nobody may have traded"),
    truncated: cell("never", "an interval without trades has no candle"),
    reordered: sameRows,
    overlap: cell("always", "some candles are from another time range"),
    "overlap-front": cell("always", "some candles are from another time range"),
    twice: complete,
    "twice-in-place": cell("never", "an interval without trades has no candle"),
    "no-cursor": noCursor,
    "early-end": noEnd,
    "other-totals": noTotals,
    foreign: cell("never", "candles name neither a network nor a pool"),
    "changed-id": cell("never", "a time is the only identity of a candle"),
    ...damage,
  },
  prices: {
    stale: cell("always", "its rows were not requested"),
    empty: cell("never", "the service omits tokens that it does not know"),
    truncated: cell("never", "the service omits tokens that it does not know"),
    reordered: sameRows,
    overlap: cell("always", "some rows were not requested"),
    "overlap-front": cell("always", "some rows were not requested"),
    twice: complete,
    "twice-in-place": cell("never", "the service omits tokens that it does not know"),
    "no-cursor": noCursor,
    "early-end": noEnd,
    "other-totals": noTotals,
    foreign: cell("always", "the rows name another network"),
    "changed-id": cell("never", "the token seems to be unknown, and another one was not requested"),
    ...damage,
  },
  /** The public service sends all DEXes for any page, with zero totals. */
  dexesAtOnce: {
    stale: noPages,
    empty: cell("once", "a network without a DEX is not worth a list, but 0 rows of 0 are no contradiction"),
    truncated: looksRight,
    reordered: sameRows,
    overlap: noPages,
    "overlap-front": noPages,
    twice: complete,
    "twice-in-place": looksRight,
    "no-cursor": noPages,
    "early-end": noPages,
    "other-totals": cell("none", "the totals are always zero"),
    foreign: cell("always", "the chain of the rows names another network"),
    "changed-id": anyId,
    ...damage,
  },
  /** Networks, and the groups of the global search. */
  atOnce: {
    stale: noPages,
    empty: looksRight,
    truncated: looksRight,
    reordered: sameRows,
    overlap: noPages,
    "overlap-front": noPages,
    twice: looksRight,
    "twice-in-place": looksRight,
    "no-cursor": noPages,
    "early-end": noPages,
    "other-totals": noPages,
    foreign: cell("never", "the response does not repeat the question"),
    "changed-id": anyId,
    ...damage,
  },
  record: {
    stale: noPages,
    empty: noPages,
    truncated: noPages,
    reordered: noPages,
    overlap: noPages,
    "overlap-front": noPages,
    twice: noPages,
    "twice-in-place": noPages,
    "no-cursor": noPages,
    "early-end": noPages,
    "other-totals": noPages,
    foreign: cell("always", "the record has another id or chain"),
    "changed-id": noPages,
    ...damage,
  },
} as const satisfies Readonly<Record<string, Row>>;

export type ProofOfList = keyof typeof provable;

export interface DisturbedList {
  readonly name: string;
  readonly proof: ProofOfList | Readonly<Record<Dialect, ProofOfList>>;
  readonly proofOfFirstPage?: ProofOfList;
  /** The arguments; for `sync` without the directory. */
  readonly words: string;
  readonly by?: "library" | "sync";
  /** Replaced in a URL, this asks the service for another network, pool or token. */
  readonly foreign: readonly [own: string | RegExp, other: string];
  /** Reads this many tokens of Ethereum from stdin. */
  readonly tokens?: number;
  /** Rows may arrive in another order than without a disturbance. */
  readonly isUnordered?: true;
  /** Takes more than a hundred requests. */
  readonly isLong?: true;
}

export const pools = {
  own: "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
  other: "0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b",
  quiet: "0x549c52b279abf9e24c5401f351ba24ed3e07c3d8",
} as const;
export const tokens = {
  own: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
  other: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
  ofBase: "0x68a7a4d02c630a4d18fa7e6833167aa8373f1df9",
} as const;

const ofPool = [pools.own, pools.other] as const;
const ofToken = [tokens.own, tokens.other] as const;
const fantom = ["/networks/fantom/", "/networks/base/"] as const;
const chains = ["chains=fantom,tempo", "chains=base"] as const;
const chain = ["chains=fantom", "chains=base"] as const;
const ethereum = ["/networks/ethereum/", "/networks/base/"] as const;
const txns = `txns ethereum ${pools.own}`;
const transactions = `api /networks/ethereum/pools/${pools.own}/transactions --paginate`;
/** Four slices of a thousand minutes. */
const minutes = "--interval 1m --from 2026-11-18T14:14:00Z --to 2026-11-21T08:54:00Z";

export const disturbedLists: readonly DisturbedList[] = [
  {
    name: "pools search of a network",
    proof: "search",
    words: "pools search fantom --all --page-size 20",
    foreign: fantom,
  },
  {
    name: "pools search",
    proof: "search",
    words: "pools search --chains fantom,tempo --all --page-size 25",
    foreign: chains,
  },
  {
    name: "tokens search of a network",
    proof: "search",
    words: "tokens search fantom --all --page-size 9",
    foreign: fantom,
  },
  {
    name: "tokens search",
    proof: "search",
    words: "tokens search --chains fantom,tempo --all --page-size 12",
    foreign: chains,
  },
  {
    name: "dexes",
    proof: { spec: "counted", public: "dexesAtOnce" },
    words: "dexes ethereum --all --page-size 3",
    foreign: ethereum,
    isUnordered: true,
  },
  { name: "txns", proof: "counted", words: `${txns} --from -100m --all --page-size 20`, foreign: ofPool },
  {
    name: "txns with 100 rows a page",
    proof: "counted",
    words: `${txns} --from -5h --all --page-size 100`,
    foreign: ofPool,
  },
  {
    name: "txns, one request at a time",
    proof: "counted",
    words: `${txns} --from -100m --all --page-size 20 --parallel 1`,
    foreign: ofPool,
  },
  {
    name: "txns beyond page 100",
    proof: "counted",
    words: `${txns} --from -10h --all --page-size 11`,
    foreign: ofPool,
    isLong: true,
  },
  {
    name: "txns that continue by cursor",
    proof: "counted",
    words: `${txns} --from -8h --all --page-size 10 --page 97`,
    foreign: ofPool,
  },
  {
    name: "txns from a cursor",
    proof: "counted",
    proofOfFirstPage: "fromCursor",
    words: `${txns} --from -3h --all --page-size 20 --cursor {cursor}`,
    foreign: ofPool,
  },
  {
    name: "api of transactions",
    proof: "counted",
    words: `${transactions} -f from=-100m -f limit=20`,
    foreign: ofPool,
  },
  {
    name: "api of a search",
    proof: "search",
    words: "api /networks/fantom/pools/search --paginate -f limit=20",
    foreign: fantom,
  },
  {
    name: "api of a search of tokens",
    proof: "search",
    words: "api /tokens/search --paginate -f chains=fantom -f limit=10",
    foreign: chain,
  },
  {
    name: "api of DEXes",
    proof: { spec: "counted", public: "dexesAtOnce" },
    words: "api /networks/ethereum/dexes --paginate -f limit=3",
    foreign: ethereum,
    isUnordered: true,
  },
  {
    name: "ohlcv of a token",
    proof: "candles",
    words: `ohlcv ethereum ${tokens.own} ${minutes}`,
    foreign: ofToken,
  },
  {
    name: "ohlcv of a pool",
    proof: "candles",
    words: `ohlcv ethereum ${pools.own} --pool ${minutes}`,
    foreign: ofPool,
  },
  {
    name: "prices",
    proof: "prices",
    words: "prices ethereum -",
    tokens: 65,
    foreign: [/^.*$/u, `/networks/base/multi/prices?tokens=${tokens.ofBase}`],
  },
  { name: "networks", proof: "atOnce", words: "networks", foreign: ["/networks", "/networks"] },
  {
    name: "search",
    proof: "atOnce",
    words: "search weth --type pools",
    foreign: ["query=weth", "query=usdc"],
  },
  { name: "pool", proof: "record", words: `pool ethereum ${pools.own}`, foreign: ofPool },
  { name: "token", proof: "record", words: `token ethereum ${tokens.own}`, foreign: ofToken },
  {
    name: "api of a pool",
    proof: "record",
    words: `api /networks/ethereum/pools/${pools.own}`,
    foreign: ofPool,
  },
  {
    name: "transactions by the library",
    proof: "counted",
    words: "poolTransactions",
    by: "library",
    foreign: ofPool,
  },
  {
    name: "a search by the library",
    proof: "search",
    words: "networkPoolsSearch",
    by: "library",
    foreign: fantom,
  },
  {
    name: "DEXes by the library",
    proof: { spec: "counted", public: "dexesAtOnce" },
    words: "dexes",
    by: "library",
    foreign: ethereum,
    isUnordered: true,
  },
  {
    name: "sync of transactions",
    proof: "counted",
    words: `ethereum:${pools.quiet} --from 2026-11-16`,
    by: "sync",
    foreign: [pools.quiet, pools.own],
  },
  {
    name: "sync of candles",
    proof: "candles",
    words: `ethereum:${pools.own} --kind ohlcv --interval 5m --from 2026-11-16`,
    by: "sync",
    foreign: ofPool,
  },
];

function proofOf({ proof }: DisturbedList, dialect: Dialect): ProofOfList {
  return typeof proof === "string" ? proof : proof[dialect];
}

export function verdictOf(
  list: DisturbedList,
  dialect: Dialect,
  kind: DisturbanceKind,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): Verdict {
  const proof = proofOf(list, dialect);
  const { verdict, onLastPage }: Cell =
    provable[(isFirst ? list.proofOfFirstPage : undefined) ?? proof][kind];
  return isLast ? (onLastPage ?? verdict) : verdict;
}
