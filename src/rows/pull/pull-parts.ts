import { type ApiRequest, keyOfArgs } from "../../api/args.ts";
import { traitsOf } from "../../api/reply.ts";
import { inOrder } from "../../base/concurrent.ts";
import { Failure } from "../../base/failure.ts";
import { isObject } from "../../base/json/raw-json.ts";
import type { Client } from "../../client/client.ts";
import type { Page } from "../../client/page.ts";
import type { PullTotals } from "../checkpoint-lines.ts";
import { type PullOptions, wantedPages } from "../wanted-pages.ts";

/** A page, the end, or the failure that replaces the remaining pages. */
export type Part = {
  readonly index: number;
  readonly request: ApiRequest;
} & Outcome;

type Outcome =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "end" };

/** A request and a position in its list, after some of the rows. */
type Start = Readonly<Pick<PullTotals, "question" | "rowsOfQuestion" | "at" | "last" | "rowsRead">>;

/** Yields in order. Only single records run in parallel, because a list already requests several pages at once. */
export async function* pullParts(client: Client, options: PullOptions, start: Start): AsyncGenerator<Part> {
  const { endpoint, argSets, seen } = options;
  const numbered = argSets.map((args, index) => ({ index, request: { endpoint, args } }));
  const requests = numbered.slice(start.question);
  if (traitsOf(endpoint.reply).isRecord) return yield* sideBySide(client, requests, options);
  for (const { index, request } of requests) {
    const isBegun = index === start.question && start.at !== undefined;
    const rest = isBegun ? restOf(options, start) : options;
    if (!isBegun) seen.clear();
    for await (const outcome of requestParts(client, request, rest)) yield { index, request, ...outcome };
  }
}

async function* requestParts(
  client: Client,
  { args }: ApiRequest,
  options: PullOptions,
): AsyncGenerator<Outcome> {
  try {
    for await (const page of await wantedPages(client, args, options)) yield { kind: "page", page };
    yield { kind: "end" };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    yield { kind: "failure", failure };
  }
}

async function* sideBySide(
  client: Client,
  requests: readonly Pick<Part, "index" | "request">[],
  options: PullOptions,
): AsyncGenerator<Part> {
  const ask = async (request: ApiRequest): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = [];
    for await (const outcome of requestParts(client, request, options)) outcomes.push(outcome);
    return outcomes;
  };
  const repeated = repeatsAmong(requests.map(({ request }) => keyOfArgs(request.args)));
  const kept = new Map<string, Promise<readonly Outcome[]>>();
  const asks = requests.map(({ index, request }) => async (): Promise<readonly Part[]> => {
    const key = keyOfArgs(request.args);
    const outcomes = kept.get(key) ?? ask(request);
    // The responses to thousands of inputs would fill the memory, so only those to repeated queries are kept.
    if (repeated.has(key)) kept.set(key, outcomes);
    return (await outcomes).map((outcome) => ({ index, request, ...outcome }));
  });
  for await (const parts of inOrder(asks, client.width)) yield* parts;
}

function repeatsAmong(keys: readonly string[]): ReadonlySet<string> {
  const [met, repeated] = [new Set<string>(), new Set<string>()];
  for (const key of keys) (met.has(key) ? repeated : met).add(key);
  return repeated;
}

function restOf(options: PullOptions, { at, rowsOfQuestion, last, rowsRead = 0 }: Start): PullOptions {
  if (at === undefined) return options;
  const limit = options.limit === undefined ? undefined : options.limit - rowsOfQuestion;
  const parsed: unknown = rowsOfQuestion > 0 && last !== undefined ? JSON.parse(last) : undefined;
  const after = isObject(parsed) ? parsed : undefined;
  const list = { ...options.list, start: at };
  return {
    ...options,
    limit,
    wanted: limit,
    after,
    list: list.kind === "pools" ? { ...list, maxRowsRead: list.maxRowsRead - rowsRead } : list,
  };
}
