import { lookup } from "node:dns/promises";
import net from "node:net";
import tls from "node:tls";
import type { Clock } from "../model/context.ts";
import type { SendOptions } from "./transport.ts";
import { withDeadline } from "./transport.ts";

/** A connection that was made, and closed again. */
export interface Reached {
  readonly milliseconds: number;
  /** `TLSv1.3`; undefined for http. */
  readonly protocol: string | undefined;
  /** When the certificate of the host ends, as it says so. */
  readonly validTo: string | undefined;
}

/** The addresses of a host's name, in the order they are tried. */
export async function findAddresses(
  clock: Clock,
  url: URL,
  options: SendOptions,
): Promise<readonly string[]> {
  const look = async (): Promise<readonly string[]> =>
    (await lookup(hostOf(url), { all: true })).map(({ address }) => address);
  return await withDeadline(clock, options, look, () => false);
}

/** Connects as a request would, asks nothing, and closes. */
export async function reachHost(clock: Clock, url: URL, options: SendOptions): Promise<Reached> {
  const started = clock.elapsed();
  const port = Number(url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port);
  const host = hostOf(url);
  const isSecure = url.protocol === "https:";
  const servername = net.isIP(host) === 0 ? { servername: host } : {};
  const connect = async (signal: AbortSignal): Promise<Reached> =>
    await new Promise((resolve, reject) => {
      const socket = isSecure ? tls.connect({ host, port, ...servername }) : net.connect({ host, port });
      signal.addEventListener("abort", () => socket.destroy());
      socket.once("error", reject);
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        const secured = socket instanceof tls.TLSSocket ? socket : undefined;
        const milliseconds = clock.elapsed() - started;
        const validTo = secured?.getPeerCertificate().valid_to;
        resolve({ milliseconds, protocol: secured?.getProtocol() ?? undefined, validTo });
        socket.destroy();
      });
    });
  return await withDeadline(clock, options, connect, () => false);
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/u, "$1");
}
