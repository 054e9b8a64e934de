import type { FaultShare, Market, MarketFaults } from "../market/types.ts";
import { type Fault, type Faults, traitsOf } from "../fault-kinds.ts";

/** Returns the market as requests with a given path see it. Without market faults, it is the market itself. */
export function createSeenMarkets(faults: Faults): (market: Market, path: string) => Market {
  const ofMarket = faults.filter(({ kind }) => traitsOf(kind).layer === "market");
  const made = new Map<string, Market>();
  return (market, path) => {
    if (ofMarket.length === 0) return market;
    const chosen = ofMarket.filter((fault) => fault.path === undefined || path.includes(fault.path));
    const name = chosen.map(({ text }) => text).join();
    if (name === "") return market;
    const seen = made.get(name) ?? market.withFaults(toMarketFaults(name, chosen));
    made.set(name, seen);
    return seen;
  };
}

function toMarketFaults(name: string, faults: Faults): MarketFaults {
  const of = (kind: Fault["kind"]): readonly Fault[] => faults.filter((fault) => fault.kind === kind);
  const shares = (kind: Fault["kind"], amountOf: (fault: Fault) => number): readonly FaultShare[] =>
    of(kind).map((fault) => ({
      amount: amountOf(fault),
      share: fault.when.by === "rate" ? fault.when.share : 1,
    }));
  return {
    name,
    lateRows: shares("late-rows", inSeconds),
    latePools: shares("late-pools", inSeconds),
    withdrawnRows: shares("withdrawn-rows", inSeconds),
    reorgs: shares("reorg", ({ amount = 0 }) => amount),
    reachSeconds: Math.min(...of("reach").map(inSeconds), Number.POSITIVE_INFINITY),
  };
}

/** The clock has whole seconds. */
function inSeconds({ amount = 0 }: Fault): number {
  return Math.ceil(amount / 1000);
}
