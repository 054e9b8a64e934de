import { plainList } from "../client/list-plan.ts";
import { groupsIn } from "../api/reply.ts";
import type { Client } from "../client/client.ts";
import { everyRow, missingIn, notesOf, type Page as RawPage } from "../client/page.ts";
import { createSeenKeys, reachOf } from "../client/seen-keys.ts";
import { type Endpoint, onlyGroup, rowShape } from "../api/endpoint.ts";
import { invalidResponse } from "../base/failure.ts";
import type { RecordShape } from "../api/record.ts";
import { parseNumbersAsText } from "../base/json/exact-json.ts";
import { rawMembers } from "../base/json/json-scan.ts";
import { wantedPages } from "../rows/wanted-pages.ts";
import { failureOfRequest } from "./library-failure.ts";
import { checkNames, wholeNumber } from "./check-options.ts";
import type { Listing, ListOptions, Page } from "./public-types.ts";
import { type EndpointCall, type GivenParams, readParams } from "./read-params.ts";

export interface LibraryWarnings {
  readonly warn: (text: string) => void;
}

export interface OpenLibrary extends LibraryWarnings {
  readonly client: Client;
  /** Numbers are returned as text. */
  readonly hasTexts: boolean;
  /** Milliseconds since the epoch. Only parameters use it: limits and waits follow the real clock. */
  readonly now: () => number;
}

export function callOf(opened: OpenLibrary, endpoint: Endpoint): (...given: readonly never[]) => unknown {
  const { kind } = endpoint.reply;
  const call = (given: GivenParams): EndpointCall => readParams(endpoint, given, opened.now());
  const method = endpoint.command;
  if (kind === "single" || kind === "groups")
    return async (given: GivenParams = {}, options: object = {}) => {
      checkNames(options, "option", [], method);
      return kind === "single"
        ? await one(opened, endpoint, call(given))
        : await grouped(opened, endpoint, call(given));
    };
  return (given: GivenParams = {}, options: ListOptions = {}) =>
    listing(() => {
      checkNames(options, "option", ["limit"], method);
      const { limit } = options;
      const most = limit === undefined ? undefined : wholeNumber("limit", limit, 1);
      return pagesOf(opened, endpoint, call(given), most);
    });
}

/** Parameters are checked again for each iteration, so `-1h` means one hour before that iteration. */
function listing(pages: () => AsyncIterable<Page<unknown>>): Listing<unknown> {
  pages();
  const rows = async function* (): AsyncGenerator {
    for await (const page of pages()) yield* page.rows;
  };
  return {
    pages: (given: object = {}) => {
      checkNames(given, "option", [], "pages");
      return pages();
    },
    [Symbol.asyncIterator]: rows,
    toArray: async (given: object = {}) => {
      checkNames(given, "option", [], "toArray");
      const all: unknown[] = [];
      for await (const row of rows()) all.push(row);
      return all;
    },
  };
}

async function* pagesOf(
  opened: OpenLibrary,
  endpoint: Endpoint,
  call: EndpointCall,
  limit?: number,
): AsyncGenerator<Page<unknown>> {
  const read = rowReader(rowShape(endpoint, onlyGroup).record, opened.hasTexts);
  for await (const page of rawPages(opened, endpoint, call, limit)) {
    const { rows } = page;
    const missing = missingIn(page);
    if (rows.length > 0 || missing.length > 0) {
      const texts = rows.texts();
      yield { rows: texts.map(read), texts, missing };
    }
  }
}

async function* rawPages(
  { client, warn }: OpenLibrary,
  endpoint: Endpoint,
  { args, subjects }: EndpointCall,
  limit?: number,
): AsyncGenerator<RawPage> {
  const { reply } = endpoint;
  const largest = "maxLimit" in reply ? reply.maxLimit : 0;
  const list = plainList(Math.min(limit ?? largest, largest));
  try {
    for await (const page of await wantedPages(client, args, {
      ...everyRow(createSeenKeys(reachOf(endpoint), false)),
      endpoint,
      argSets: [args],
      list: subjects === undefined ? list : { ...list, kind: "batch", subjects, fillMissing: false },
      groups: groupsIn(reply) ?? [onlyGroup],
      limit,
      wanted: limit,
      readsAhead: limit !== undefined || client.width > 1,
      isValidated: false,
    })) {
      for (const { text } of notesOf(page, "doubtful")) warn(text);
      yield page;
      // Without this failure, a program would mistake partial results for complete ones.
      for (const { failure } of notesOf(page, "refused")) throw failure;
    }
  } catch (cause) {
    throw await failureOfRequest(cause, client, args);
  }
}

async function one(opened: OpenLibrary, endpoint: Endpoint, call: EndpointCall): Promise<unknown> {
  for await (const page of pagesOf(opened, endpoint, call)) return page.rows[0];
  throw invalidResponse("invalid response: no row");
}

/** The result includes empty groups. */
async function grouped(
  opened: OpenLibrary,
  endpoint: Endpoint,
  call: EndpointCall,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const groups: Record<string, readonly unknown[]> = {};
  for await (const { group, rows } of rawPages(opened, endpoint, call))
    groups[group] = rows.texts().map(rowReader(rowShape(endpoint, group).record, opened.hasTexts));
  return groups;
}

/**
 * With `hasTexts`, every number becomes a string. Otherwise, only raw amounts do: the service sends them as strings or
 * as arbitrarily long integers, which a double cannot represent.
 */
export function rowReader(record: RecordShape, hasTexts: boolean): (text: string) => object {
  if (hasTexts) return (text) => Object(parseNumbersAsText(text));
  const raw = Object.keys(record).filter((name) => record[name]?.type.kind === "number-or-text");
  if (raw.length === 0) return (text) => Object(JSON.parse(text));
  return (text) => {
    const row: object = Object(JSON.parse(text));
    const members = rawMembers(text);
    const exact = raw.flatMap((name) => {
      const value = members.get(name);
      return value !== undefined && /^[-\d]/u.test(value) ? [[name, value] as const] : [];
    });
    return Object.assign(row, Object.fromEntries(exact));
  };
}
