import type { Args } from "../model/args.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { usageFailure } from "../model/failure.ts";
import type { Reply } from "../model/reply.ts";
import { fromWire } from "../model/time.ts";
import type { Client } from "./client.ts";
import { createPage, type Page } from "./page.ts";

type Candles = Extract<Reply, { kind: "candles" }>;

/**
 * One window of candles. `start` is required by the service, and the public service fills only 10 without `limit`,
 * which is therefore the number of candles the window can hold.
 */
export async function* askForCandles(
  client: Client,
  endpoint: Endpoint,
  reply: Candles,
  args: Args,
): AsyncGenerator<Page> {
  const { opening, touched } = candlesIn(args);
  if (opening > reply.maxLimit) {
    throw usageFailure(
      `the window holds ${opening} candles of ${args.get("interval") ?? ""}; one answer holds ${reply.maxLimit}`,
      "narrow --from and --to, or choose a wider --interval",
    );
  }
  const { text, value } = await client.ask(
    endpoint,
    new Map([...args, ["limit", String(Math.min(touched, reply.maxLimit))]]),
  );
  yield createPage(text, value, "candles");
}

/** Candles that open within [start, end), and those that the window touches, should the service round `start` down. */
function candlesIn(args: Args): { readonly opening: number; readonly touched: number } {
  const seconds = intervalSeconds(args.get("interval") ?? "");
  const [start, end] = [secondsOf(args.get("start")), secondsOf(args.get("end"))];
  const past = Math.ceil(end / seconds);
  return {
    opening: past - Math.ceil(start / seconds),
    touched: Math.max(1, past - Math.floor(start / seconds)),
  };
}

/** Bounds are resolved before: unix seconds, or RFC 3339 where they have a fraction. */
function secondsOf(bound: string | undefined): number {
  const { seconds, fraction } = fromWire(bound ?? "");
  return seconds + (fraction === "" ? 0 : 1);
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600 };

/** `15m` → 900. */
export function intervalSeconds(interval: string): number {
  const match = /^(\d+)([mh])$/u.exec(interval);
  return Number(match?.[1]) * (unitSeconds[match?.[2] ?? ""] ?? Number.NaN);
}
