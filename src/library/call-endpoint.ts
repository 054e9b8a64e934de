import type { Client } from "../client/client.ts";
import type { Page as RawPage } from "../client/pages/page.ts";
import type { Walk } from "../client/pages/pages.ts";
import type { Context } from "../context/context.ts";
import { type Endpoint, onlyGroup, rowShape } from "../contract/endpoint.ts";
import { untrustedAnswer } from "../contract/failure.ts";
import { reachOf } from "../client/pages/distinct-pages.ts";
import { createSeenKeys } from "../client/pages/seen-keys.ts";
import { wantedPages } from "../pull/wanted-pages.ts";
import type { Listing, ListOptions, Page } from "./public-types.ts";
import { wholeNumber } from "./read-options.ts";
import { type Asking, type GivenParams, readParams } from "./read-params.ts";
import { type ReadRow, rowReader } from "./read-row.ts";

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

function pagesOf(
  opened: OpenLibrary,
  endpoint: Endpoint,
  asking: Asking,
  limit: number | undefined,
): AsyncIterable<Page<unknown>> {
  return readPages(rawPages(opened, endpoint, asking, limit), readerOf(opened, endpoint, onlyGroup));
}

async function* readPages(pages: AsyncIterable<RawPage>, read: ReadRow): AsyncGenerator<Page<unknown>> {
  for await (const { rows, missing = [], refused } of pages) {
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
  limit: number | undefined,
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
  for await (const page of pagesOf(opened, endpoint, asking, undefined)) return page.rows[0];
  throw untrustedAnswer("the answer holds nothing");
}

/** All groups, those that nothing was found in too. */
async function grouped(
  opened: OpenLibrary,
  endpoint: Endpoint,
  asking: Asking,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const groups: Record<string, readonly unknown[]> = {};
  for await (const { group, rows } of rawPages(opened, endpoint, asking, undefined))
    groups[group] = rows.texts().map(readerOf(opened, endpoint, group));
  return groups;
}

function readerOf({ hasTexts }: OpenLibrary, endpoint: Endpoint, group: string): ReadRow {
  return rowReader(rowShape(endpoint, group).record, hasTexts);
}
