import { type Environment, findProxy, proxyVariable } from "../../client/connection/proxy.ts";
import { isLoopback } from "../../contract/loopback.ts";
import type { Context } from "../../context/context.ts";
import { withoutSecrets } from "../../contract/key.ts";
import { type Finding, failed, ok, warn } from "./finding.ts";

/** Which proxy stands before the hosts, if one does. */
export function checkProxy({ env }: Pick<Context, "env">, bases: readonly string[]): Finding {
  const urls = bases.map((base) => new URL(base));
  const variable = proxyVariable(env);
  if (variable === undefined)
    return plainProxy(env, urls) ?? ok("proxy", "none is set; hosts are asked directly");
  try {
    const proxied = urls.filter((url) => findProxy(url, env) !== undefined);
    const [first] = proxied;
    const proxy = first && findProxy(first, env);
    if (proxy === undefined)
      return ok("proxy", `${variable} is ${withoutSecrets(env[variable] ?? "")}, but not for these hosts`);
    const direct = urls.filter((url) => !proxied.includes(url));
    const others = direct.length === 0 ? "" : `; ${namesOf(direct)} directly`;
    return ok("proxy", `${namesOf(proxied)} through ${proxy.shown} (${variable})${others}`);
  } catch (cause) {
    return failed("proxy", cause);
  }
}

/** Curl does not take this one for https either, but people do. */
function plainProxy(env: Environment, urls: readonly URL[]): Finding | undefined {
  const variable = ["http_proxy", "HTTP_PROXY"].find((name) => (env[name] ?? "") !== "");
  const outer = urls.filter(({ hostname }) => !isLoopback(hostname));
  if (variable === undefined || outer.length === 0) return undefined;
  return warn(
    "proxy",
    `${variable} is for plain http, so ${namesOf(outer)} ${outer.length === 1 ? "is" : "are"} asked directly`,
    "nothing, where the lines below are ok; else set HTTPS_PROXY",
  );
}

function namesOf(urls: readonly URL[]): string {
  return [...new Set(urls.map(({ hostname }) => hostname))].join(" and ");
}
