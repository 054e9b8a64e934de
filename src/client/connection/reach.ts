import { lookup } from "node:dns/promises";
import tls from "node:tls";
import type { Context } from "../../context/context.ts";
import { type Peer, peerName } from "./connection-failure.ts";
import { createConnector } from "./connector.ts";
import { createOpenSockets } from "./open-sockets.ts";
import { unbracketed } from "./proxy.ts";
import type { SendOptions } from "./transport.ts";
import { withDeadline } from "./transport.ts";

/** A connection that was made, and closed again. */
export interface Reached {
  readonly milliseconds: number;
  /** `TLSv1.3`; undefined for http. */
  readonly protocol: string | undefined;
  /** When the certificate of the host ends, as it says so. */
  readonly validTo: string | undefined;
  /** On the way there, as messages show it. */
  readonly proxy: string | undefined;
}

type Reaching = Pick<Context, "clock" | "env">;

/** The addresses of a host's name, in the order they are tried. */
export async function findAddresses(
  { clock }: Reaching,
  url: URL,
  options: SendOptions,
): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> =>
    (await lookup(unbracketed(url.hostname), { all: true })).map(({ address }) => address);
  return await withDeadline(clock, options, look, peerOf(url.hostname));
}

/** Connects as a request would, asks nothing, and closes. */
export async function reachHost({ clock, env }: Reaching, url: URL, options: SendOptions): Promise<Reached> {
  const started = clock.elapsed();
  const sockets = createOpenSockets();
  let proxy: string | undefined;
  const connect = createConnector(env, {
    sockets,
    proxied: (shown) => {
      proxy = shown;
    },
  });
  const { protocol, port, host } = url;
  const reach = async (): Promise<Reached> =>
    await new Promise((resolve, reject) => {
      connect({ protocol, port, host, hostname: unbracketed(url.hostname) }, (fault, socket) => {
        if (fault !== null) return reject(fault);
        const secured = socket instanceof tls.TLSSocket ? socket : undefined;
        const validTo = secured?.getPeerCertificate().valid_to;
        const spoken = secured?.getProtocol() ?? undefined;
        resolve({ milliseconds: clock.elapsed() - started, protocol: spoken, validTo, proxy });
      });
    });
  try {
    return await withDeadline(
      clock,
      options,
      reach,
      peerOf(host, () => proxy),
    );
  } finally {
    sockets.destroy();
  }
}

function peerOf(host: string, proxy: () => string | undefined = () => undefined): Peer {
  return { name: () => peerName(host, proxy()), hasConnected: () => false };
}
