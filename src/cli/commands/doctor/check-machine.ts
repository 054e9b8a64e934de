import { X509Certificate } from "node:crypto";
import path from "node:path";
import type { Context } from "../../../base/context/context.ts";
import { Failure, orUndefined } from "../../../base/failure.ts";
import { withoutSecrets } from "../../../base/key.ts";
import { versionLine } from "../../../base/version.ts";
import { cannotBeRead, describeError } from "../../../base/files/file-errors.ts";
import { readRegularText } from "../../../base/files/bounded-read.ts";
import { modeOf } from "../../../base/files/paths.ts";
import { probeStateFolder, unusableFile } from "../../../base/files/json-file.ts";
import { isUsuallyColored, readsUnicode } from "../../render/terminal.ts";
import { readCredentials } from "../../settings/credentials.ts";
import { findFolders } from "../../folders.ts";
import { configWarnings, readConfigFile, readSettings } from "../../settings/read-settings.ts";
import { findKeyCopies, probeSettingsFolder } from "../../settings/update-settings-file.ts";
import { didYouMean, nearest } from "../../../base/text/nearest.ts";
import { counted, quoted } from "../../../base/text/words.ts";
import { otherVariables, settings } from "../../../client/settings.ts";
import { fail, failed, ok, type Outcome, warn } from "./findings.ts";

/** As in package.json. */
const oldest = [20, 19] as const;

function checkVersion({ nodeVersion }: Context): Outcome {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const found = `${versionLine}, Node ${nodeVersion}`;
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return ok(found);
  return fail(found, `install Node ${oldest.join(".")} or newer`);
}

function checkTerminal(context: Context): Outcome {
  const { isTerminal, columns } = context.stdout;
  // Some terminals report 0 columns just after they open.
  const width = (columns ?? 0) > 0 ? ` with ${columns} columns` : "";
  const where = isTerminal ? `a terminal${width}` : "not a terminal";
  const color = isUsuallyColored(context) ? "color" : "no color";
  if (readsUnicode(context.env)) return ok(`stdout is ${where}, UTF-8, ${color}`);
  const found = `stdout is ${where}, not UTF-8 according to LC_ALL, LC_CTYPE or LANG, ${color}`;
  return isTerminal ? warn(found, "if the terminal supports UTF-8: export LANG=C.UTF-8") : ok(found);
}

/** Node reads the file once at startup. If that fails, it prints at most one line on stderr and continues. */
function checkCertificates({ env }: Context): Outcome | undefined {
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0")
    return warn(
      "NODE_TLS_REJECT_UNAUTHORIZED is 0, so certificates are not verified: a server that poses as the service could receive your key",
      "unset it; to trust another authority, set NODE_EXTRA_CA_CERTS to its certificate file",
    );
  const file = env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return undefined;
  const unusable = (problem: string): Outcome =>
    fail(
      `NODE_EXTRA_CA_CERTS: ${file} ${problem}`,
      "set it to a readable certificate file (PEM), or unset NODE_EXTRA_CA_CERTS",
    );
  try {
    const text = readRegularText(file);
    if (text === undefined) return unusable("is not a file");
    const count = countCertificates(text);
    if (count === 0) return unusable("contains no readable certificate");
    return ok(`NODE_EXTRA_CA_CERTS: ${counted(count, "certificate")} in ${file}`);
  } catch (cause) {
    return unusable(`${cannotBeRead(cause)}, so its certificates are not trusted`);
  }
}

/** Stops at the first damaged certificate, as Node does. */
function countCertificates(text: string): number {
  const blocks =
    text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END [\w ]+-----/gu) ?? [];
  const damaged = blocks.findIndex((block) => !isCertificate(block));
  return damaged === -1 ? blocks.length : damaged;
}

function isCertificate(block: string): boolean {
  return orUndefined(() => new X509Certificate(block).subject) !== undefined;
}

async function checkConfig(context: Context): Promise<Outcome> {
  const file = readConfigFile(context);
  try {
    readSettings(context);
  } catch (cause) {
    return failed(cause, "see: dexdata config list");
  }
  const [warning] = configWarnings(file);
  if (file.isDamaged) return failed(unusableFile(file.problem ?? ""));
  if (file.problem !== undefined)
    return warn(`${file.problem}; commands ignore it`, `fix it, or remove it: rm ${quoted(file.path)}`);
  if (warning !== undefined) return warn(warning, "remove this setting from the file");
  const unwritable = await cannotWrite(
    context,
    // The way `auth login` and `config set` write. Other commands only read the directory.
    probeSettingsFolder(context, findFolders(context).config),
    "keys and settings cannot be saved",
    "make the directory writable, or set DEXDATA_CONFIG_DIR to another one",
  );
  if (unwritable !== undefined) return unwritable;
  const set = Object.keys(context.env)
    .filter((name) => name.startsWith("DEXDATA_") && context.env[name] !== "")
    .toSorted();
  const unknown = unknownVariables(set);
  if (unknown !== undefined) return unknown;
  const kept = file.values.size === 0 ? "no settings" : counted(file.values.size, "setting");
  const also = set.length === 0 ? "" : `; environment: ${set.join(", ")}`;
  return ok(`${file.path}: ${kept}${also}`);
}

/** No command reads them, so only this check can report a misspelled name. */
function unknownVariables(set: readonly string[]): Outcome | undefined {
  const known = [...Object.values(settings).map(({ variable }) => variable), ...otherVariables];
  const unknown = set.filter((name) => !known.includes(name));
  const [first] = unknown;
  if (first === undefined) return undefined;
  // Without the prefix, because names would otherwise be close to each other.
  const [typed = "", ...words] = [first, ...known].map((name) => name.slice("DEXDATA_".length));
  const near = nearest(typed, words);
  return warn(
    `unknown ${unknown.length === 1 ? "variable" : "variables"}, which no command reads: ${unknown.join(", ")}`,
    didYouMean(near && `DEXDATA_${near}`, "see: dexdata help environment"),
  );
}

/** Undefined if the probe succeeds. */
async function cannotWrite(
  { signal }: Context,
  probe: Promise<void>,
  found: string,
  next: string,
): Promise<Outcome | undefined> {
  try {
    await probe;
    return undefined;
  } catch (cause) {
    if (signal.aborted) throw cause;
    const own = cause instanceof Failure ? cause.details.next : undefined;
    return warn(`${found}: ${withoutSecrets(describeError(cause))}`, own ?? next);
  }
}

/** Only the owner should be able to read the file. */
function checkCredentials(context: Context): Outcome {
  const { path: file, problem, exposure, profiles, active } = readCredentials(context);
  if (problem !== undefined)
    return fail(`${problem}; commands ignore it`, "store the key again: dexdata auth login");
  if (exposure !== undefined)
    return warn(`other users can read the key in ${file}`, `run: chmod 600 ${quoted(file)}`);
  const [copy] = findKeyCopies(file).stages;
  if (copy !== undefined)
    return warn(`${copy} may contain a key; a killed login left it`, `run: rm ${quoted(copy)}`);
  const folder = path.dirname(file);
  const mode = context.platform === "win32" ? undefined : modeOf(folder);
  if (profiles.size > 0 && mode !== undefined && (mode & 0o022) !== 0)
    return warn(`other users can write to ${folder} and replace the key`, `run: chmod 700 ${quoted(folder)}`);
  const names = [...profiles.keys()].map((name) => (name === active ? `${name} (active)` : name));
  return ok(`${file}: ${names.length === 0 ? "no key stored" : `stored: ${names.join(", ")}`}`);
}

/** Writes the way a run does, including the lock. */
async function checkState(context: Context): Promise<Outcome> {
  const folder = findFolders(context).state;
  const unwritable = await cannotWrite(
    context,
    probeStateFolder(context, folder),
    `cannot write to ${folder}, so the rate limit is not shared with other processes`,
    "make it writable, or set DEXDATA_STATE_DIR to another directory",
  );
  return unwritable ?? ok(`${folder} is writable, and locking works`);
}

/** In output order. None of them sends anything. */
export const machineChecks = {
  version: checkVersion,
  terminal: checkTerminal,
  certificates: checkCertificates,
  config: checkConfig,
  credentials: checkCredentials,
  state: checkState,
} as const;
