import type { Context } from "../../../base/context/context.ts";
import { endpoints } from "../../../api/endpoints/all.ts";
import { matchTemplate, removedEndpoints, removedStream } from "../../../api/find-endpoint.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { type Failure, usageFailure } from "../../../base/failure.ts";
import { hideSecrets, withoutSecrets } from "../../../base/key.ts";
import { addressIn } from "../../../api/read-param.ts";
import { quoted } from "../../../base/text/words.ts";
import { visibleText } from "../../../base/text/unsafe-text.ts";
import type { explainFlags } from "../../run/flags/shared-flags.ts";
import { writeDocument } from "../../run/output/local-output.ts";
import { prefixes, writeLine } from "../../run/report.ts";
import { decode, knownEndpoint, pairsIn } from "../api/raw-call.ts";
import type { Input } from "../command.ts";
import { commandWords } from "../pull/continuation.ts";
import { asArgument, migratedQuery, migratedStream, type Migration } from "./migrated-words.ts";

const usage = "usage: dexdata explain '<URL>' (in quotes because of ? and &)";

/** Prints the command for a URL, or a path and query, of an earlier version of the API. */
export async function explainUrl(
  [url = "", more]: readonly string[],
  flags: Input<typeof explainFlags>["flags"],
  context: Context,
): Promise<ExitCode> {
  if (more !== undefined) throw usageFailure(`unexpected argument "${more}"`, usage);
  const { removed, replacement, notes, words: migrated } = migrationOf(url, context.clock.now());
  // Only whole parameters that are keys have been removed.
  const command = hideSecrets(["dexdata", ...migrated].map(quoted).join(" "));
  if (flags.output === "ndjson" || flags.output === "json") {
    return await writeDocument(context, flags.output, {
      command,
      removed: removed ?? null,
      replacement,
      notes: notes.map(hideSecrets),
    });
  }
  const first =
    removed === undefined
      ? `${replacement} is still part of the API`
      : `${removed} was removed; its replacement is ${replacement}`;
  for (const note of [first, ...notes]) await writeLine(context, `${prefixes.note}${hideSecrets(note)}`);
  await context.stdout.write(`${command}\n`);
  return 0;
}

const keyNote = "removed a key from the URL; keys in URLs end up in logs, so replace it: dexdata auth login";

/** `now` is in milliseconds and is needed to check values that are times. */
function migrationOf(url: string, now: number): Migration {
  const { segments, query, hadKey } = readOldUrl(url);
  const path = `/${segments.join("/")}`;
  const isStream = path === removedStream || segments[0] === "sse";
  const migration = isStream
    ? migratedStream(path, new Map(query), now)
    : migratedRequest(segments, query, now);
  if (migration === undefined)
    throw usageFailure(
      `unknown API path "${path}": neither current nor removed`,
      `to call it anyway: dexdata api ${quoted(path)}`,
    );
  return hadKey ? { ...migration, notes: [keyNote, ...migration.notes] } : migration;
}

function migratedRequest(
  segments: readonly string[],
  query: readonly (readonly [name: string, value: string])[],
  now: number,
): Migration | undefined {
  const found = findSuccessor(segments);
  if (found === undefined) return undefined;
  const { endpoint, place, removed } = found;
  for (const value of place.values()) asArgument(value);
  const params = endpoint.params.filter(({ name }) => place.has(name));
  // Some values in an old path are query parameters for the new endpoint.
  const moved = params.flatMap(({ name, place: to }) =>
    to === "query" ? [[name, place.get(name) ?? ""] as const] : [],
  );
  const { words, notes } = migratedQuery(endpoint, [...query, ...moved], now);
  return {
    words: [...commandWords(endpoint, place), ...words],
    removed,
    replacement: endpoint.path,
    notes,
  };
}

/** Removed paths are checked before current ones. */
function findSuccessor(segments: readonly string[]) {
  for (const { path, replacement, carried } of removedEndpoints) {
    const values = matchTemplate(path, segments);
    const endpoint = endpoints.find((each) => each.path === replacement);
    if (values === undefined || endpoint === undefined) continue;
    const place = new Map([...values].map(([name, value]) => [carried[name] ?? name, value]));
    return { endpoint, place, removed: path };
  }
  const found = knownEndpoint(segments);
  return found && { endpoint: found.endpoint, place: found.path, removed: undefined };
}

/** The first segments of all paths that the service has ever had. */
const root = /^(?:networks|pools|tokens|search|usage|stats|stream|sse)$/u;

/** The host is ignored. */
function readOldUrl(typed: string) {
  const refuse = (problem: string, next?: string): Failure =>
    usageFailure(`"${withoutSecrets(typed)}": ${problem}`, next);
  const text = typed.trim();
  const [, authority = "", rest = ""] = /^(?:[a-z][\w+.-]*:\/\/([^/?#]*))?(.*)$/isu.exec(text) ?? [];
  const [path = "", ...queries] = (rest.split("#")[0] ?? "").split("?");
  const decoded = (part: string): string => {
    const plain = decode(part);
    if (plain === undefined) throw refuse(`"${withoutSecrets(part)}" is not valid percent-encoded UTF-8`);
    if (visibleText(plain) !== plain || /\p{Cc}/u.test(plain))
      throw refuse("contains characters that cannot be shown on a command line");
    return plain;
  };
  const all = path.split("/").map(decoded);
  const begin = all.findIndex((segment) => root.test(segment));
  if (begin < 0) {
    const address = addressIn(text);
    throw refuse(
      "not an API URL; must contain a path such as /networks/ethereum/pools",
      address === undefined ? undefined : `look up the address: dexdata search ${address}`,
    );
  }
  const pairs = pairsIn(queries.join("?")).map(([name, value]) => [decoded(name), decoded(value)] as const);
  const query = pairs.filter(([name, value]) => !isKey(name, value));
  return {
    /** Decoded, starting at the first one that the API knows. */
    segments: all.slice(begin, all.at(-1) === "" ? -1 : undefined),
    /** Decoded, in the order typed, without parameters that looked like a key. */
    query,
    hadKey: query.length < pairs.length || authority.includes("@"),
  };
}

function isKey(name: string, value: string): boolean {
  return (
    /^(?:x-)?(?:api[-_]?key|key|auth\w*|secret|access_token|bearer)$/iu.test(name) ||
    /^(?:bearer\s*)?api_/iu.test(value)
  );
}
