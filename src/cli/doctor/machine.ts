import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { versions } from "node:process";
import type { Context } from "../../context/context.ts";
import { cannotBeRead } from "../../files/file-fault.ts";
import { versionLine } from "../../contract/version.ts";
import { counted } from "../../text/counted.ts";
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

/** Node reads it once, at its start, and goes on with a line on stderr at most where it cannot. */
export function checkCertificates({ env }: Pick<Context, "env">): readonly Finding[] {
  const file = env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return [];
  const next = "name a file of certificates (PEM) that can be read, or unset NODE_EXTRA_CA_CERTS";
  try {
    // A pipe or a device may have no end.
    if (!statSync(file).isFile())
      return [fail("certificates", `NODE_EXTRA_CA_CERTS: ${file} is no file`, next, 2)];
    const count = countCertificates(readFileSync(file, "latin1"));
    if (count > 0)
      return [ok("certificates", `NODE_EXTRA_CA_CERTS: ${counted(count, "certificate")} in ${file}`)];
    const found = `NODE_EXTRA_CA_CERTS: ${file} holds no certificate that can be read`;
    return [fail("certificates", found, next, 2)];
  } catch (cause) {
    const found = `NODE_EXTRA_CA_CERTS: ${file} ${cannotBeRead(cause)}, so its certificates are not trusted`;
    return [fail("certificates", found, next, 2)];
  }
}

/** As far as Node takes them: it stops at the first that is damaged. */
function countCertificates(text: string): number {
  const blocks =
    text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END [\w ]+-----/gu) ?? [];
  const damaged = blocks.findIndex((block) => !isCertificate(block));
  return damaged === -1 ? blocks.length : damaged;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== undefined;
  } catch {
    return false;
  }
}
