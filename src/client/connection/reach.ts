import { lookup } from "node:dns/promises";
import tls from "node:tls";
import type { Context } from "../../base/context/context.ts";
import { createConnector, OpenSockets } from "./agent.ts";
import { unbracketed } from "./proxy.ts";
import { type SendOptions, withDeadline } from "./transport.ts";

interface Reached {
  readonly milliseconds: number;
  /** E.g. `TLSv1.3`; undefined for http. */
  readonly protocol: string | undefined;
  readonly validTo: string | undefined;
  readonly proxy: string | undefined;
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
          proxy: sockets.proxy,
        });
      });
    });
  try {
    return await withDeadline(clock, options, reach, sockets.peerOf(host));
  } finally {
    sockets.destroy();
  }
}
