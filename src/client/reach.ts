import { lookup } from "node:dns/promises";
import tls from "node:tls";
import type { Context } from "../base/context/context.ts";
import { peerName } from "./connection/connection-failure.ts";
import { createEnding } from "./ending.ts";
import { EventStreamParser } from "./streams/event-stream.ts";
import { openerOf } from "./live/subscription.ts";
import { isData } from "./stream-event.ts";
import { unbracketed } from "./proxy.ts";
import { createConnector, OpenSockets, type SendOptions, withDeadline } from "./connection/transport.ts";
import type { Opening, Subscription } from "./stream-options.ts";
import type { EventLedger } from "./credit-budget.ts";

interface Reached {
  readonly milliseconds: number;
  /** E.g. `TLSv1.3`; undefined for http. */
  readonly protocol: string | undefined;
  readonly validTo: string | undefined;
  /** The host, followed by its proxy. */
  readonly name: string;
}

type ReachContext = Pick<Context, "clock" | "env">;

/** The addresses are in the order in which they are tried. */
export async function findAddresses(
  { clock }: ReachContext,
  url: URL,
  options: SendOptions,
): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> =>
    (await lookup(unbracketed(url.hostname), { all: true })).map(({ address }) => address);
  const peer = { name: () => url.hostname, hasConnected: () => false };
  return await withDeadline(clock, options, look, peer);
}

/** Connects the way a request would, but closes the connection without sending anything. */
export async function reachHost(
  { clock, env }: ReachContext,
  url: URL,
  options: SendOptions,
): Promise<Reached> {
  const started = clock.elapsed();
  const sockets = new OpenSockets();
  const connect = createConnector(env, sockets);
  const { protocol, port, host } = url;
  const reach = async (): Promise<Reached> =>
    await new Promise((resolve, reject) => {
      connect({ protocol, port, host, hostname: unbracketed(url.hostname) }, (error, socket) => {
        if (error !== null) return reject(error);
        const secured = socket instanceof tls.TLSSocket ? socket : undefined;
        resolve({
          milliseconds: clock.elapsed() - started,
          protocol: secured?.getProtocol() ?? undefined,
          validTo: secured?.getPeerCertificate().valid_to,
          name: peerName(host, sockets.proxy),
        });
      });
    });
  try {
    return await withDeadline(clock, options, reach, sockets.peerOf(host));
  } finally {
    sockets.destroy();
  }
}

/** Closes the feed after its first bytes. Each event in them costs a credit. */
export async function reachStream(
  { clock, signal: outer }: Pick<Context, "clock" | "signal">,
  opening: Opening & Subscription & { readonly ledger: EventLedger },
  maxWait: number,
): Promise<"data" | "closed" | "silent"> {
  const { feed, ledger } = opening;
  const { signal, release } = createEnding(clock, outer, maxWait);
  try {
    const connection = await openerOf(opening)("", signal);
    signal.addEventListener("abort", connection.close);
    for await (const chunks of connection.chunks) {
      connection.close();
      const parser = new EventStreamParser();
      const events = chunks.flatMap((chunk) => parser.push(chunk));
      ledger.delivered(events.filter((event) => isData(event, feed)).length);
      return "data";
    }
    return "closed";
  } catch (cause) {
    if (outer.aborted) throw outer.reason;
    if (signal.aborted) return "silent";
    throw cause;
  } finally {
    release();
  }
}
