import { isIP } from "node:net";
import {
  type Environment,
  findProxy,
  proxyVariable,
  shownProxy,
  unbracketed,
} from "../../../client/proxy.ts";
import { findAddresses, reachHost, reachStream } from "../../../client/reach.ts";
import type { Target } from "../../../client/target.ts";
import type { Context } from "../../../base/context/context.ts";
import { feeds } from "../../../api/feeds.ts";
import { formatDuration } from "../../../api/duration.ts";
import { checkNetwork, isLoopback } from "../../../api/host.ts";
import type { OpenClient } from "../../run/open-client.ts";
import type { Run } from "../../run/with-run.ts";
import { fail, type Finding, findingsOf, hasFailure, ok, type Outcome, warn } from "./findings.ts";

type Hosts = Pick<Target, "rest" | "streaming">;

export function checkProxy({ env }: Pick<Context, "env">, { rest, streaming }: Hosts): Outcome {
  const urls = [new URL(rest), new URL(streaming)];
  const variable = proxyVariable(env);
  if (variable === undefined)
    return warnOfPlainProxy(env, urls) ?? ok("not set; hosts are contacted directly");
  const proxied = urls.filter((url) => findProxy(url, env) !== undefined);
  const [first] = proxied;
  const proxy = first && findProxy(first, env);
  if (proxy === undefined)
    return ok(`${variable} is ${shownProxy(env[variable] ?? "")}, which does not apply to these hosts`);
  const direct = urls.filter((url) => !proxied.includes(url));
  const others = direct.length === 0 ? "" : `; ${namesOf(direct)} directly`;
  return ok(`${namesOf(proxied)} through ${proxy.shown} (${variable})${others}`);
}

/** Users often expect this variable to apply to https as well. Like curl, dexdata uses it only for http. */
function warnOfPlainProxy(env: Environment, urls: readonly URL[]): Outcome | undefined {
  const variable = ["http_proxy", "HTTP_PROXY"].find((name) => (env[name] ?? "") !== "");
  const outer = urls.filter(({ hostname }) => !isLoopback(hostname));
  if (variable === undefined || outer.length === 0) return undefined;
  return warn(
    `${variable} applies only to http://, so ${namesOf(outer)} ${outer.length === 1 ? "is" : "are"} contacted directly`,
    "ignore this if the checks below pass; otherwise set HTTPS_PROXY",
  );
}

function namesOf(urls: readonly URL[]): string {
  return [...new Set(urls.map(({ hostname }) => hostname))].join(" and ");
}

/** Milliseconds before a certificate expires (14 days). */
const soon = 14 * 24 * 60 * 60 * 1000;

const hostSettings = {
  rest: "see base_url and pro_base_url in: dexdata config list",
  streaming: "see streaming_url and streaming_pro_url in: dexdata config list",
} as const;

/** Runs the other checks only if the name resolves and the host accepts connections. */
export async function checkHost(
  { context, options: { timeout } }: Run,
  name: keyof Hosts,
  base: string,
  next: () => readonly Finding[] | Promise<readonly Finding[]> = () => [],
): Promise<readonly Finding[]> {
  const { clock, env, signal } = context;
  const url = new URL(base);
  const resolved = await findingsOf(`${name} name`, async () => {
    // If there is a proxy, the proxy resolves the name.
    if (isIP(unbracketed(url.hostname)) !== 0 || findProxy(url, env) !== undefined) return undefined;
    const started = clock.elapsed();
    const addresses = await findAddresses(context, url, { timeout, signal });
    const elapsed = formatDuration(clock.elapsed() - started);
    return ok(`${url.hostname} resolves to ${addresses.join(", ")} (${elapsed})`);
  });
  if (hasFailure(resolved)) {
    const hint = `check the host name and the DNS server; ${hostSettings[name]}`;
    return resolved.map((finding) => ({ ...finding, next: hint }));
  }
  const reached = await findingsOf(`${name} connection`, async () => {
    const peer = await reachHost(context, url, { timeout, signal });
    const { protocol = "without TLS, on this machine", validTo } = peer;
    const found = `${peer.name} reached in ${formatDuration(peer.milliseconds)}, ${protocol}`;
    if (!(Date.parse(validTo ?? "") - clock.now() < soon)) return ok(found);
    return warn(
      `${found}; its certificate expires ${validTo}`,
      "check this machine's clock; if it is correct, notify the operator of the host",
    );
  });
  if (!hasFailure(reached)) return [...resolved, ...reached, ...(await next())];
  const hint = `check the port and the firewall; ${hostSettings[name]}`;
  const isNetwork = reached.some((finding) => finding.next === checkNetwork);
  return [...resolved, ...reached.map((finding) => (isNetwork ? { ...finding, next: hint } : finding))];
}

/** Wrapped ether, because it is traded all the time. */
const asset = { network: "ethereum", address: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2" };
/** In milliseconds; the service sends a ping every 15 s. */
const longestSilence = 20_000;

export async function checkStream(
  context: Context,
  { client }: OpenClient,
  timeout: number,
): Promise<Outcome> {
  const { clock } = context;
  const maxWait = Math.min(timeout, longestSilence);
  const { host } = new URL(client.target.streaming);
  const opening = { ...client.opening, timeout: maxWait, command: "doctor" };
  const feed = feeds.prices;
  const subscription = { feed, kind: feed.kinds[0], subjects: [asset], params: new Map<string, string>() };
  const started = clock.elapsed();
  const reached = await reachStream(context, { ...opening, ...subscription }, maxWait);
  if (reached === "closed") return silent(`${host} closed the stream without sending data`);
  if (reached === "silent") return silent(`${host}: no data within ${formatDuration(maxWait)}`);
  return ok(`${host}: first byte after ${formatDuration(clock.elapsed() - started)}`);
}

function silent(found: string): Outcome {
  return fail(
    found,
    "check for a proxy that buffers streams; until it is fixed, use: dexdata txns --follow --poll 15s",
    7,
  );
}
