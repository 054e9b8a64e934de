import { traitsOf } from "../api/reply.ts";
import type { Client } from "../client/client.ts";
import { inOrder } from "../base/concurrent.ts";
import type { Page } from "../client/page.ts";
import type { Args, Question } from "../api/args.ts";
import { Failure } from "../base/failure.ts";
import { isObject } from "../base/json/raw-json.ts";
import type { Tally } from "./tally.ts";
import { wantedPages, type PullOptions } from "./wanted-pages.ts";

/** A page, the end, or the failure that replaces the remaining pages. */
export type Part = {
  readonly index: number;
  readonly question: Question;
} & Outcome;

type Outcome =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "failure"; readonly failure: Failure }
  | { readonly kind: "end" };

/** A query and a place in its list, after some of the rows. */
type Start = Readonly<Pick<Tally, "question" | "rowsOfQuestion" | "at" | "last" | "rowsRead">>;

/** Yields in order. Only single records run in parallel, because a list already requests several pages at once. */
export async function* answers(client: Client, options: PullOptions, start: Start): AsyncGenerator<Part> {
  const { endpoint, asked, seen } = options;
  const numbered = asked.map((args, index) => ({ index, question: { endpoint, args } }));
  const questions = numbered.slice(start.question);
  if (traitsOf(endpoint.reply).isRecord) return yield* sideBySide(client, questions, options);
  for (const { index, question } of questions) {
    const isBegun = index === start.question && start.at !== undefined;
    const rest = isBegun ? restOf(options, start) : options;
    if (!isBegun) seen.clear();
    for await (const outcome of answer(client, question, rest)) yield { index, question, ...outcome };
  }
}

async function* answer(client: Client, { args }: Question, options: PullOptions): AsyncGenerator<Outcome> {
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
  questions: readonly Pick<Part, "index" | "question">[],
  options: PullOptions,
): AsyncGenerator<Part> {
  const ask = async (question: Question): Promise<readonly Outcome[]> => {
    const outcomes: Outcome[] = [];
    for await (const outcome of answer(client, question, options)) outcomes.push(outcome);
    return outcomes;
  };
  const repeated = repeatsAmong(questions.map(({ question }) => keyOf(question.args)));
  const kept = new Map<string, Promise<readonly Outcome[]>>();
  const asks = questions.map(({ index, question }) => async (): Promise<readonly Part[]> => {
    const key = keyOf(question.args);
    const outcomes = kept.get(key) ?? ask(question);
    // The responses to thousands of inputs would fill the memory, so only those to repeated queries are kept.
    if (repeated.has(key)) kept.set(key, outcomes);
    return (await outcomes).map((outcome) => ({ index, question, ...outcome }));
  });
  for await (const parts of inOrder(asks, client.width)) yield* parts;
}

/** Queries with the same arguments share a single request. */
export function keyOf(args: Args): string {
  return JSON.stringify([...args]);
}

function repeatsAmong(keys: readonly string[]): ReadonlySet<string> {
  const [met, repeated] = [new Set<string>(), new Set<string>()];
  for (const key of keys) (met.has(key) ? repeated : met).add(key);
  return repeated;
}

function restOf(options: PullOptions, { at, rowsOfQuestion, last, rowsRead = 0 }: Start): PullOptions {
  if (at === undefined) return options;
  const limit = options.limit === undefined ? undefined : options.limit - rowsOfQuestion;
  const mark: unknown = rowsOfQuestion > 0 && last !== undefined ? JSON.parse(last) : undefined;
  const after = isObject(mark) ? mark : undefined;
  const walk = { ...options.walk, start: at };
  return {
    ...options,
    limit,
    wanted: limit,
    after,
    walk: walk.kind === "pools" ? { ...walk, maxRowsRead: walk.maxRowsRead - rowsRead } : walk,
  };
}
