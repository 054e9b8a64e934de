import { accessSync, constants } from "node:fs";
import { versions } from "node:process";
import { isLoopback } from "../../model/loopback.ts";
import type { Context } from "../../model/context.ts";
import { errorCode } from "../../model/error-code.ts";
import { withoutSecrets } from "../../model/key.ts";
import { versionLine } from "../../model/version.ts";
import { readsUnicode } from "../output/presentation.ts";
import { isColored, settledColor } from "../output/is-colored.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** package.json says the same to npm. */
const oldest = [20, 19] as const;

export function checkVersions(node: string = versions.node): Finding {
  const [major = 0, minor = 0] = node.split(".").map(Number);
  const found = `${versionLine}, Node ${node}`;
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return ok("version", found);
  return fail("version", found, `install Node ${oldest.join(".")} or newer`, 2);
}

/** What the output can be, which decides how tables and the board look. */
export function checkTerminal(context: Context): Finding {
  const { isTerminal, columns } = context.stdout;
  // Some that have just been opened say 0.
  const width = (columns ?? 0) > 0 ? ` of ${columns} columns` : "";
  const where = isTerminal ? `a terminal${width}` : "no terminal";
  const color = isColored(settledColor(context), context) ? "coloured" : "not coloured";
  if (readsUnicode(context.env)) return ok("terminal", `stdout is ${where}, UTF-8, ${color}`);
  const found = `stdout is ${where}, not UTF-8 by LC_ALL, LC_CTYPE or LANG, ${color}`;
  return isTerminal
    ? warn("terminal", found, "export LANG=C.UTF-8, if it shows UTF-8")
    : ok("terminal", found);
}

/** Node reads it once, at its start, and goes on without a word where it cannot. */
export function checkCertificates({ env }: Pick<Context, "env">): readonly Finding[] {
  const file = env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return [];
  try {
    accessSync(file, constants.R_OK);
    return [ok("certificates", `NODE_EXTRA_CA_CERTS: ${file} can be read`)];
  } catch (cause) {
    const found = `NODE_EXTRA_CA_CERTS: ${file} cannot be read (${errorCode(cause)}), so its certificates are not trusted`;
    return [fail("certificates", found, "name a file that can be read, or unset NODE_EXTRA_CA_CERTS", 2)];
  }
}

const proxyVariables = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** Proxies are not asked: a machine that reaches the world through one only will not reach the service. */
export function checkProxy({ env }: Pick<Context, "env">, urls: readonly string[]): Finding {
  const set = proxyVariables.filter((name) => (env[name] ?? "") !== "");
  const [name = ""] = set;
  if (set.length === 0) return ok("proxy", "none is set; hosts are asked directly");
  const direct = env["NO_PROXY"] ?? env["no_proxy"] ?? "";
  const proxied = urls.map((url) => new URL(url).hostname).filter((host) => !isDirect(host, direct));
  const said = `${name} is ${withoutSecrets(env[name] ?? "")}`;
  if (proxied.length === 0) return ok("proxy", `${said}, but not for these hosts`);
  return warn(
    "proxy",
    `${said}, and is not used: dexdata asks ${[...new Set(proxied)].join(" and ")} directly`,
    "nothing, where the lines below are ok; else let these hosts be reached directly",
  );
}

/** Whether the host is in NO_PROXY, as curl reads it, or on this machine. */
function isDirect(host: string, noProxy: string): boolean {
  if (isLoopback(host)) return true;
  const names = noProxy.split(",").map((each) => each.trim().replace(/^\*?\./u, ""));
  return names.some((each) => each === "*" || each === host || (each !== "" && host.endsWith(`.${each}`)));
}
