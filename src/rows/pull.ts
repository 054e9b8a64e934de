import { affectsOneInput, Failure } from "../base/failure.ts";
import type { Client } from "../client/client.ts";
import { isConfirmed, nextOf, notesOf, type Page, type PageNote } from "../client/page.ts";
import type { CheckpointLine, PullCost, PullTotals } from "./checkpoint-lines.ts";
import { type PullOptions, wantedPages } from "./wanted-pages.ts";
import { traitsOf } from "../api/reply.ts";
import { wellKnownNetworks } from "../api/known-networks.ts";
import { inOrder } from "../base/concurrent.ts";
import { keyOfArgs } from "../client/subject.ts";
import { isObject, rawMembers } from "../base/json/json-scan.ts";
import { type RowShape, rowShape, type ApiRequest } from "../api/endpoint.ts";
import { counted } from "../base/text/words.ts";

/** Where the rows of a pull go. The pull goes on when the promise has resolved; `stop` ends it. */
export interface PullSink {
  /** The page counts if the sink continues. */
  readonly page: (page: Page, request: ApiRequest) => Promise<"continue" | "stop">;
  /** An input of the page that the service rejected. Throws to end the pull. */
  readonly refused: (failure: Failure, request: ApiRequest) => Promise<void>;
  /** A request whose rows, or the rest of them, cannot be read. Throws unless the other requests are worth reading. */
  readonly failure: (failure: Failure, request: ApiRequest) => Promise<"continue" | "stop">;
  /** The pages of this request are complete. */
  readonly end: (request: ApiRequest) => Promise<void>;
  /** The totals describe all rows up to here, and a later run can continue after them. */
  readonly checkpoint: () => Promise<void>;
}

/**
 * Every pull of dexdata: one request after the other, page by page, with its totals. The first page is requested at
 * once, and its sink can be opened meanwhile: the returned function resolves when its sink has everything. `totals` are
 * those of earlier runs; the pull continues after them.
 */
export function startPull(client: Client, options: PullOptions, totals: PullTotals) {
  const parts = pullParts(client, options, { ...totals });
  const first = parts.next();
  // A failure is handled by the loop.
  first.catch(() => undefined);
  return async (sink: PullSink): Promise<void> => {
    try {
      for (let next = await first; next.done !== true; next = await parts.next())
        if ((await takePart(next.value, totals, sink)) === "stop") return;
    } finally {
      await parts.return(undefined).catch(() => undefined);
    }
  };
}

async function takePart(part: Part, totals: PullTotals, sink: PullSink): Promise<"continue" | "stop"> {
  const { request } = part;
  if (part.kind === "page") {
    const { page } = part;
    if ((await sink.page(page, request)) === "stop") return "stop";
    countPage(totals, request, page);
    for (const { failure, args } of notesOf(page, "refused"))
      await sink.refused(failure, { ...request, args });
    // A later run requests everything after the last confirmed position again.
    if (totals.at !== undefined && isConfirmed(page)) await sink.checkpoint();
    return "continue";
  }
  if (part.kind === "end") await sink.end(request);
  else if ((await sink.failure(part.failure, request)) === "stop") return "stop";
  countEnd(totals, part.index);
  // If there are no rows, another run would report the same errors again, so there is nothing to save.
  if (totals.rows > 0 || totals.missing > 0 || part.kind === "end") await sink.checkpoint();
  return "continue";
}

/** A page, the end, or the failure that replaces the remaining pages. */
type Part = {
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
async function* pullParts(client: Client, options: PullOptions, start: Start): AsyncGenerator<Part> {
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
  let isEnding = false;
  const asks = requests.map(({ index, request }) => async (): Promise<readonly Part[]> => {
    if (isEnding) return [];
    const key = keyOfArgs(request.args);
    const outcomes = kept.get(key) ?? ask(request);
    // The responses to thousands of inputs would fill the memory, so only those to repeated queries are kept.
    if (repeated.has(key)) kept.set(key, outcomes);
    const parts = (await outcomes).map((outcome) => ({ index, request, ...outcome }));
    isEnding ||= parts.some(endsPull);
    return parts;
  });
  const [first] = requests;
  const firstAlone = !wellKnownNetworks.has(first?.request.args.get("network") ?? "");
  let ending: readonly Part[] = [];
  for await (const parts of inOrder(asks, client.width, { firstAlone })) {
    // Later responses are paid for, so their rows are kept. Without its end, a request is sent again by a resumed pull.
    if (ending.length > 0) yield* parts.filter(({ kind }) => kind === "page");
    else if (parts.some(endsPull)) ending = parts;
    else yield* parts;
  }
  yield* ending;
}

const endsPull = (part: Part): boolean => part.kind === "failure" && !affectsOneInput(part.failure);

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

export const noCost: PullCost = { requests: 0, credits: 0, inDoubt: 0 };

/** `progress` is that of the earlier runs. A new line of the checkpoint has its own size and hashes. */
export function totalsOf(progress: CheckpointLine | undefined): PullTotals {
  if (progress === undefined)
    return { rows: 0, repeats: 0, missing: 0, refused: 0, question: 0, rowsOfQuestion: 0, unfinished: 0 };
  const { bytes: _bytes, sha256: _sha256, seen: _seen, ...totals } = progress;
  return totals;
}

/** Call this after the page's rows have been passed on. */
function countPage(totals: PullTotals, { endpoint }: ApiRequest, page: Page): void {
  totals.rows += page.rows.length;
  totals.rowsOfQuestion += page.rows.length;
  for (const note of page.notes) countNote(totals, note);
  const { end } = page;
  // A pull continues at the last confirmed position.
  if (isConfirmed(page)) totals.at = nextOf(page);
  // The first end applies to the entire pull; later windows end earlier.
  totals.to ??= nextOf(page)?.to;
  // Only the last page can prove that the list is complete.
  if (end.kind === "last" && totals.proof !== "end of list") totals.proof = end.proof.by;
  // A response that is printed as a single document has no rows.
  if (page.rows.length === 0 || page.as === "document") return;
  const shape = rowShape(endpoint, page.group);
  totals.first ??= mark(page.rows.text(0), shape);
  totals.last = mark(page.rows.text(page.rows.length - 1), shape);
}

function countNote(totals: PullTotals, note: PageNote): void {
  switch (note.kind) {
    case "missing":
      totals.missing += note.subjects.length;
      return;
    case "repeats":
      totals.repeats += note.rows;
      return;
    case "read":
      totals.rowsRead = (totals.rowsRead ?? 0) + note.rows;
      return;
    case "doubtful":
      totals.doubts = [...new Set([...(totals.doubts ?? []), note.text])];
      return;
    case "short":
    case "twins":
    case "replaced":
      totals.remarks = { ...totals.remarks, [note.kind]: (totals.remarks?.[note.kind] ?? 0) + note.count };
      return;
    case "refused":
      totals.refused += note.inputs;
      return;
    case "warning":
    case "cut off":
    case "complete from":
  }
}

function countEnd(totals: PullTotals, index: number): void {
  totals.question = index + 1;
  totals.at = undefined;
  totals.rowsOfQuestion = 0;
}

/** What was unusual about a complete list, each kind once. */
export function remarksIn({ remarks = {} }: PullTotals): readonly string[] {
  const { short = 0, twins = 0, replaced = 0 } = remarks;
  const lines: string[] = [];
  if (short > 0)
    lines.push(
      `${counted(short, "page")} had fewer rows than requested, although more pages follow; the service does not count this list`,
    );
  if (twins > 0)
    lines.push(`${counted(twins, "row")} had the ID of another row but other values; dexdata keeps them all`);
  if (replaced > 0)
    lines.push(
      `${counted(replaced, "candle")} ${replaced === 1 ? "was" : "were"} received twice with different values; dexdata keeps the later ones`,
    );
  return lines;
}

/** Keeps the original digits; returns the entire row if it has neither an identity nor a time. */
function mark(row: string, { identity, record }: RowShape): string {
  const times = Object.keys(record).filter((field) => record[field]?.reads === "time");
  const members = rawMembers(row);
  const kept = [...new Set([...identity, ...times])].flatMap((field) => {
    const value = members.get(field);
    return value === undefined ? [] : [`${JSON.stringify(field)}:${value}`];
  });
  return kept.length === 0 ? row : `{${kept.join(",")}}`;
}
