import type { Client } from "../client/client.ts";
import type { Page as RawPage, Walk } from "../client/pages/page.ts";
import type { Context } from "../context/context.ts";
import { type Endpoint, onlyGroup, rowShape } from "../contract/endpoint.ts";
import { untrustedAnswer } from "../contract/failure.ts";
import type { RecordShape } from "../contract/record.ts";
import { parseNumbersAsText } from "../json/exact-json.ts";
import { rawMembers } from "../json/raw-json.ts";
import { reachOf } from "../client/pages/distinct-pages.ts";
import { createSeenKeys } from "../client/pages/seen-keys.ts";
import { wantedPages } from "../pull/wanted-pages.ts";
import type { Listing, ListOptions, Page } from "./public-types.ts";
import { wholeNumber } from "./read-options.ts";
import { type Asking, type GivenParams, readParams } from "./read-params.ts";

export interface OpenLibrary {
  readonly client: Client;
  readonly context: Pick<Context, "clock">;
  /** Numbers are given as their text. */
  readonly hasTexts: boolean;
}

/** The method of one endpoint: what it gives follows from how the endpoint answers. */
export function callOf(opened: OpenLibrary, endpoint: Endpoint): (...given: readonly never[]) => unknown {
  const { kind } = endpoint.reply;
  const asking = (given: GivenParams): Asking => readParams(endpoint, given, opened.context.clock.now());
  if (kind === "single") return async (given: GivenParams = {}) => await one(opened, endpoint, asking(given));
  if (kind === "groups")
    return async (given: GivenParams = {}) => await grouped(opened, endpoint, asking(given));
  return (given: GivenParams = {}, options: ListOptions = {}) =>
    listing(() => pagesOf(opened, endpoint, asking(given), readLimit(options)));
}

function readLimit({ limit }: ListOptions): number | undefined {
  return limit === undefined ? undefined : wholeNumber("limit", limit, 1);
}

/** What is asked for is checked when it is asked for, and once more each time, so that `-1h` is an hour before then. */
function listing(pages: () => AsyncIterable<Page<unknown>>): Listing<unknown> {
  pages();
  const rows = async function* (): AsyncGenerator {
    for await (const page of pages()) yield* page.rows;
  };
  return {
    pages,
    [Symbol.asyncIterator]: rows,
    toArray: async () => {
      const all: unknown[] = [];
      for await (const row of rows()) all.push(row);
      return all;
    },
  };
}

async function* pagesOf(
  opened: OpenLibrary,
  endpoint: Endpoint,
  asking: Asking,
  limit?: number,
): AsyncGenerator<Page<unknown>> {
  const read = readerOf(opened, endpoint, onlyGroup);
  for await (const { rows, missing = [], refused } of rawPages(opened, endpoint, asking, limit)) {
    if (rows.length > 0 || missing.length > 0) {
      const texts = rows.texts();
      yield { rows: texts.map(read), texts, missing };
    }
    // A program that is given the others as if they were all would never know.
    if (refused !== undefined) throw refused.failure;
  }
}

async function* rawPages(
  { client }: OpenLibrary,
  endpoint: Endpoint,
  { args, subjects }: Asking,
  limit?: number,
): AsyncGenerator<RawPage> {
  const { reply } = endpoint;
  const largest = "maxLimit" in reply ? reply.maxLimit : 0;
  const walk: Walk = {
    pageSize: Math.min(limit ?? largest, largest),
    isStrict: true,
    wanted: limit ?? (client.width === 1 ? 0 : undefined),
    subjects,
  };
  const wish = {
    walk,
    groups: reply.kind === "groups" ? reply.groups : [onlyGroup],
    limit,
    isValidated: false,
  };
  yield* await wantedPages(client, { endpoint, args }, wish, createSeenKeys(reachOf(endpoint), false));
}

async function one(opened: OpenLibrary, endpoint: Endpoint, asking: Asking): Promise<unknown> {
  for await (const page of pagesOf(opened, endpoint, asking)) return page.rows[0];
  throw untrustedAnswer("the answer holds nothing");
}

/** All groups, those that nothing was found in too. */
async function grouped(
  opened: OpenLibrary,
  endpoint: Endpoint,
  asking: Asking,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const groups: Record<string, readonly unknown[]> = {};
  for await (const { group, rows } of rawPages(opened, endpoint, asking))
    groups[group] = rows.texts().map(readerOf(opened, endpoint, group));
  return groups;
}

function readerOf({ hasTexts }: OpenLibrary, endpoint: Endpoint, group: string): ReadRow {
  return rowReader(rowShape(endpoint, group).record, hasTexts);
}

/** A row of the service as a program gets it. */
type ReadRow = (text: string) => object;

/**
 * `hasTexts`: every number is given as its text. Otherwise only raw amounts are, which services and feeds write as text
 * here and as integers of any length there: no double holds them.
 */
export function rowReader(record: RecordShape, hasTexts: boolean): ReadRow {
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
