import { isIP } from "node:net";
import { findAddresses, reachHost } from "../../client/reach.ts";
import type { Context } from "../../model/context.ts";
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
    if (isIP(url.hostname.replaceAll(/[[\]]/gu, "")) === 0) {
      const started = context.clock.elapsed();
      const addresses = await findAddresses(context.clock, url, options);
      findings.push(
        ok(
          `${name} name`,
          `${url.hostname} is ${addresses.join(", ")} (${took(context.clock.elapsed() - started)})`,
        ),
      );
    }
  } catch (cause) {
    const next = `check the name and the name server: ${hostSetting(name)}`;
    return [{ ...failed(`${name} name`, cause), found: `${url.hostname}: ${messageOf(cause)}`, next }];
  }
  try {
    const { milliseconds, protocol, validTo } = await reachHost(context.clock, url, options);
    const secure = protocol === undefined ? "without TLS, on this machine" : protocol;
    const found = `${url.host} reached in ${took(milliseconds)}, ${secure}`;
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
    const next = `check port, firewall and proxy; which host is asked: ${hostSetting(name)}`;
    const finding = failed(`${name} connection`, cause);
    findings.push({
      ...finding,
      found: `${url.host}: ${finding.found}`,
      next: isCertificate(finding) ? finding.next : next,
    });
  }
  return findings;
}

function isCertificate({ found }: Finding): boolean {
  return found.includes("certificate");
}

function hostSetting(name: string): string {
  return `dexdata config list shows ${name === "rest" ? "base_url and pro_base_url" : "streaming_url and streaming_pro_url"}`;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
