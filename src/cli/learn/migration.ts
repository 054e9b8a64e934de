import { findEndpoint } from "../../contract/endpoints/find-endpoint.ts";
import { endpoints } from "../../contract/endpoints/all.ts";
import { removedEndpoints, removedStream } from "../../contract/endpoints/removed-endpoints.ts";
import { matchTemplate } from "../../contract/endpoints/templates.ts";
import type { Args } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";
import { isFixedWord } from "../../contract/read-param.ts";
import { takesAddress, takesNetwork } from "../asking/positionals.ts";
import { quoted } from "../output/continuation.ts";
import { migratedStream } from "./migrated-stream.ts";
import { migratedWords } from "./migrated-words.ts";
import { readOldUrl } from "./old-url.ts";

/** The command that asks what a URL asked. */
export interface Migration {
  /** After `dexdata`, unquoted. */
  readonly words: readonly string[];
  /** The template of the path that was removed; undefined where the URL is of today. */
  readonly removed: string | undefined;
  readonly replacement: string;
  /** What could not be carried over, or was said in other words. */
  readonly notes: readonly string[];
}

/** `now`: milliseconds, for values that are times. */
export function migrate(typed: string, now: number): Migration {
  const { segments, query, hadKey } = readOldUrl(typed);
  const keyNotes = hadKey
    ? [
        "a key stood in the URL and is left out; a key in a URL stays in logs, so change it: dexdata auth login",
      ]
    : [];
  const path = `/${segments.join("/")}`;
  if (path === removedStream || segments[0] === "sse") {
    const stream = migratedStream(segments, query, now);
    return { ...stream, notes: [...keyNotes, ...stream.notes] };
  }
  const found = successorOf(segments) ?? ofToday(segments);
  if (found === undefined) {
    throw usageFailure(
      `"${path}": is no path that the service had or has`,
      `ask it as it is: dexdata api ${quoted(path)}`,
    );
  }
  const { endpoint, place, removed } = found;
  const carried = new Map(
    [...place].filter(([name]) => endpoint.params.some((param) => param.name === name)),
  );
  const { words, notes } = migratedWords(endpoint, [...query, ...queryOf(endpoint, carried)], now);
  return {
    words: [...endpoint.command.split(" "), ...pathWords(endpoint, carried), ...words],
    removed,
    replacement: endpoint.path,
    notes: [...keyNotes, ...notes],
  };
}

interface Found {
  readonly endpoint: Endpoint;
  /** Values of the path, by the names they have now. */
  readonly place: Args;
  readonly removed: string | undefined;
}

function successorOf(segments: readonly string[]): Found | undefined {
  for (const { path, replacement, carried } of removedEndpoints) {
    const values = matchTemplate(path, segments);
    const endpoint = endpoints.find((each) => each.path === replacement);
    if (values === undefined || endpoint === undefined) continue;
    // `/networks/x/pools/search` is of today, and no removed `/networks/x/{…}`.
    const place = new Map([...values].map(([name, value]) => [carried[name] ?? name, value]));
    return { endpoint, place, removed: path };
  }
  return undefined;
}

function ofToday(segments: readonly string[]): Found | undefined {
  const found = findEndpoint(segments);
  if (found === undefined || [...found.path.values()].some(isFixedWord)) return undefined;
  return { endpoint: found.endpoint, place: found.path, removed: undefined };
}

/** What stood in the old path, and is a parameter of the query now. */
function queryOf(endpoint: Endpoint, place: Args): readonly (readonly [string, string])[] {
  return [...place].filter(([name]) =>
    endpoint.params.some((param) => param.name === name && param.place === "query"),
  );
}

function pathWords(endpoint: Endpoint, place: Args): readonly string[] {
  const names = endpoint.params.filter((param) => param.place === "path").map(({ name }) => name);
  const taken = takesAddress(endpoint) ? names : takesNetwork(endpoint) ? names.slice(0, 1) : [];
  const words = taken.flatMap((name) => place.get(name) ?? []);
  return endpoint.chosenBy === undefined ? words : [...words, `--${endpoint.chosenBy}`];
}
