import type { Context } from "../../context/context.ts";
import { Failure } from "../../contract/failure.ts";
import { feeds } from "../../tail/feeds.ts";
import { openerOf } from "../../tail/subscription.ts";
import type { OpenClient } from "../open-client.ts";
import { type Finding, fail, failed, ok, took } from "./finding.ts";

/** Wrapped ether: whichever market moves, it does. */
const asset = { network: "ethereum", address: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2" };

/** Opens the price feed, and closes it at its first byte; an event is a credit, which is claimed before. */
export async function checkStream(context: Context, open: OpenClient, timeout: number): Promise<Finding> {
  const { target } = open.client;
  const { clock } = context;
  const feed = feeds.prices;
  const [kind] = feed.kinds;
  if (kind === undefined) throw new Error("the price feed has a kind");
  const opening = { target, context, pace: open.pace, timeout, command: "doctor" };
  const subscription = { feed, kind, subjects: [asset], params: new Map<string, string>() };
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(timeout, done.signal).then(
    () => late.abort(),
    () => undefined,
  );
  const signal = AbortSignal.any([context.signal, late.signal]);
  const started = clock.elapsed();
  try {
    await (await open.budget.claim(1)).settle(1);
    const connection = await openerOf(opening, subscription)("", signal);
    signal.addEventListener("abort", connection.close);
    for await (const _ of connection.chunks) {
      connection.close();
      return ok(
        "stream",
        `${new URL(target.streaming).host}: first byte after ${took(clock.elapsed() - started)}`,
      );
    }
    return silent(`${new URL(target.streaming).host} ended the stream without a byte`);
  } catch (cause) {
    if (context.signal.aborted) throw context.signal.reason;
    if (late.signal.aborted)
      return silent(`${new URL(target.streaming).host}: no byte within ${took(timeout)}`);
    if (cause instanceof Failure) return failed("stream", cause);
    throw cause;
  } finally {
    done.abort();
  }
}

function silent(found: string): Finding {
  return fail(
    "stream",
    found,
    "look for a proxy that holds streams back; meanwhile: dexdata txns --follow --poll 15s",
    7,
  );
}
