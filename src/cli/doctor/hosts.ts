import { isIP } from "node:net";
import { checkNetwork, peerName } from "../../client/connection/connection-failure.ts";
import { findProxy, unbracketed } from "../../client/connection/proxy.ts";
import { findAddresses, reachHost } from "../../client/connection/reach.ts";
import type { Context } from "../../context/context.ts";
import { type Finding, failed, ok, took, warn } from "./finding.ts";

const soon = 14 * 24 * 60 * 60 * 1000;

/** Name and connection of a host; where these fail there is nobody to ask. */
export async function checkHost(
  context: Context,
  name: string,
  base: string,
  timeout: number,
): Promise<readonly Finding[]> {
  const url = new URL(base);
  const options = { timeout, signal: context.signal };
  const findings: Finding[] = [];
  try {
    const isName = isIP(unbracketed(url.hostname)) === 0;
    // Behind a proxy it is the proxy that looks the name up.
    if (isName && findProxy(url, context.env) === undefined) {
      const started = context.clock.elapsed();
      const addresses = await findAddresses(context, url, options);
      findings.push(
        ok(
          `${name} name`,
          `${url.hostname} is ${addresses.join(", ")} (${took(context.clock.elapsed() - started)})`,
        ),
      );
    }
  } catch (cause) {
    const next = `check the name and the name server: ${hostSetting(name)}`;
    return [{ ...failed(`${name} name`, cause), next }];
  }
  try {
    const { milliseconds, protocol, validTo, proxy } = await reachHost(context, url, options);
    const secure = protocol === undefined ? "without TLS, on this machine" : protocol;
    const found = `${peerName(url.host, proxy)} reached in ${took(milliseconds)}, ${secure}`;
    const left = Date.parse(validTo ?? "") - context.clock.now();
    findings.push(
      left < soon
        ? warn(
            `${name} connection`,
            `${found}; its certificate ends ${validTo}`,
            "check this machine's clock; if it is right, tell whoever runs the host",
          )
        : ok(`${name} connection`, found),
    );
  } catch (cause) {
    const finding = failed(`${name} connection`, cause);
    const next = `check port and firewall; which host is asked: ${hostSetting(name)}`;
    findings.push(finding.next === checkNetwork ? { ...finding, next } : finding);
  }
  return findings;
}

function hostSetting(name: string): string {
  return `dexdata config list shows ${name === "rest" ? "base_url and pro_base_url" : "streaming_url and streaming_pro_url"}`;
}
