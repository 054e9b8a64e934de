import type { Page } from "../client/page.ts";
import type { Context } from "../model/context.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { type ExitCode, Failure } from "../model/failure.ts";
import { isOfOneInput } from "../model/meanings.ts";
import type { Question } from "../model/args.ts";
import { wantedPages } from "../pull/wanted-pages.ts";
import { createRenderer, type Renderer } from "../render/renderer.ts";
import { bounded } from "./deadline.ts";
import { moreLine } from "./continuation.ts";
import type { FlagValues } from "./flags.ts";
import { counted, createNotices, type Notices } from "./notices.ts";
import { openClient, type OpenClient } from "./open-client.ts";
import { type Questions, readQuestions } from "./questions.ts";
import { readRunOptions, type RunOptions } from "./run-options.ts";
import { hintAtEmpty, withSuggestion } from "./suggestion.ts";

/** One command of the service, from its words and flags to its rows. */
export async function runEndpoint(
  group: readonly Endpoint[],
  words: readonly string[],
  flags: FlagValues,
  outer: Context,
): Promise<ExitCode> {
  const options = readRunOptions(flags, outer);
  const { context, release } = bounded(outer, options.deadline);
  const notices = createNotices(context, options);
  try {
    const readStdin = async (): Promise<string> => await context.stdin.read(context.signal);
    const questions = await readQuestions(group, words, flags, options, readStdin);
    const open = await openClient(context, options, notices);
    try {
      return await answer({ context, options, questions, flags, notices, open });
    } finally {
      await open.close();
      sayWhatItWas(open, notices);
    }
  } finally {
    release();
    await notices.settled();
  }
}

/** After the rows: whose they were, and what they cost. */
function sayWhatItWas(open: OpenClient, notices: Notices): void {
  const { meter, target } = open.client;
  if (target.isSimulated) notices.remark("simulated data: the sandbox's made-up market, not the real one");
  warnOfPlan(open, notices);
  notices.close(meter);
}

interface Run {
  readonly context: Context;
  readonly options: RunOptions;
  readonly questions: Questions;
  readonly flags: FlagValues;
  readonly notices: Notices;
  readonly open: OpenClient;
}

/** Every question in turn, then what there is to say about them once the output is whole. */
async function answer(run: Run): Promise<ExitCode> {
  const { questions, notices } = run;
  const { endpoint } = questions;
  const renderer = await openRenderer(run);
  const failures: Failure[] = [];
  const total: Shown = { rows: 0, missing: 0, failures: [], remarks: [] };
  // A refusal that one input earned is kept while the others are asked; anything else ends the run.
  const note = async (cause: unknown, question: Question): Promise<void> => {
    const failure = await withSuggestion(cause, run.context, run.open.client, question);
    if (!isOfOneInput(failure)) throw failure;
    failures.push(failure);
  };
  for (const args of questions.asked) {
    try {
      const shown = await showPages(run, { endpoint, args }, renderer);
      total.rows += shown.rows;
      total.missing += shown.missing;
      total.remarks.push(...shown.remarks);
      for (const refused of shown.failures) await note(refused.failure, { endpoint, args: refused.args });
    } catch (cause) {
      await note(cause, { endpoint, args });
    }
  }
  const [first] = failures;
  if (first !== undefined && total.rows === 0 && total.missing === 0) {
    for (const other of failures.slice(1)) notices.warn(`dexdata: ${other.message}`);
    throw first;
  }
  await renderer.end();
  for (const failure of failures) notices.warn(`dexdata: ${failure.message}`);
  for (const remark of total.remarks) notices.remark(remark);
  if (total.rows === 0) notices.remark("nothing found");
  return failures.length > 0 || (total.missing > 0 && questions.missing === "fail") ? 8 : 0;
}

async function openRenderer({ context, options, questions }: Run): Promise<Renderer> {
  return await createRenderer({
    output: context.stdout,
    format: options.format,
    endpoint: questions.endpoint,
    groups: questions.groups,
    isRecord: questions.isRecord,
    fields: options.fields,
    isColored: options.isColored,
    // An empty variable counts as unset (POSIX, Environment Variables).
    isUnicode: /utf-?8/iu.test(context.env["LC_ALL"] || context.env["LC_CTYPE"] || context.env["LANG"] || ""),
    now: options.now,
  });
}

/** What became of one question, or of all. */
interface Shown {
  rows: number;
  missing: number;
  readonly failures: NonNullable<Page["refused"]>[];
  /** For somebody who watches, once the output is whole. */
  readonly remarks: string[];
}

/** The walk for one question, page by page to the screen. */
async function showPages(run: Run, question: Question, renderer: Renderer): Promise<Shown> {
  const { questions, options, notices } = run;
  const { client } = run.open;
  const { pageSize } = questions.walk;
  const pages = await wantedPages(client, question, { ...questions, isValidated: options.isValidated });
  const shown: Shown = { rows: 0, missing: 0, failures: [], remarks: [] };
  let last: Page | undefined;
  try {
    for await (const page of pages) {
      shown.rows += page.rows.length;
      shown.missing += page.missing?.length ?? 0;
      if (page.refused !== undefined) shown.failures.push(page.refused);
      if (questions.missing !== "null") nameMissing(page, notices);
      await renderer.page(page);
      last = page;
    }
  } catch (cause) {
    const more = last === undefined ? undefined : moreLine(question, run.flags, last, pageSize);
    throw cause instanceof Failure && more !== undefined ? cutShort(cause, shown.rows, more) : cause;
  }
  if (questions.limit !== undefined && last !== undefined) {
    const more = moreLine(question, run.flags, last, pageSize);
    if (more !== undefined) shown.remarks.push(more);
  }
  if (shown.rows === 0) {
    const hint = await hintAtEmpty(run.context, client, question);
    if (hint !== undefined) notices.warn(hint);
  }
  return shown;
}

/** The rows before the failure stay; so that they are not taken for all, it says how many, and how to go on. */
function cutShort(failure: Failure, rows: number, more: string): Failure {
  return new Failure(`${failure.message}; ${counted(rows, "row")} came before`, {
    ...failure.details,
    next: more,
  });
}

function nameMissing(page: Page, notices: Notices): void {
  for (const { network, address } of page.missing ?? []) notices.warn(`no price: ${network}:${address}`);
}

/** A key that the service does not count under its plan is a silent loss: it is said whoever listens. */
function warnOfPlan({ client }: OpenClient, notices: Notices): void {
  const { plan } = client.meter;
  const { tier, key } = client.target;
  if (plan === undefined || plan === tier) return;
  const why = key !== undefined && plan === "keyless" ? ": the key was not counted" : "";
  notices.warn(`dexdata: the service counted this as ${plan}, not ${tier}${why}; see: dexdata auth status`);
}
