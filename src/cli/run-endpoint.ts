import type { Page } from "../client/page.ts";
import type { Context } from "../model/context.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { type ExitCode, Failure } from "../model/failure.ts";
import type { Question } from "../model/args.ts";
import { wantedPages } from "../pull/wanted-pages.ts";
import { createRenderer, type Renderer } from "../render/renderer.ts";
import { bounded } from "./deadline.ts";
import { moreLine } from "./continuation.ts";
import type { FlagValues } from "./flags.ts";
import { createNotices, type Notices } from "./notices.ts";
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
  const questions = await readQuestions(group, words, flags, options, outer.stdin);
  const { context, release } = bounded(outer, options.deadline);
  const notices = createNotices(context, options);
  try {
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

async function answer(run: Run): Promise<ExitCode> {
  const { questions, notices } = run;
  const renderer = await openRenderer(run);
  const failures: Failure[] = [];
  let [rows, missing] = [0, 0];
  for (const args of questions.asked) {
    const question = { endpoint: questions.endpoint, args };
    try {
      const shown = await showPages(run, question, renderer);
      rows += shown.rows;
      missing += shown.missing;
    } catch (cause) {
      const failure = await withSuggestion(cause, run.context, run.open.client, question);
      if (!isOfOneInput(failure) || questions.asked.length === 1) throw failure;
      failures.push(failure);
      notices.warn(`dexdata: ${failure.message}`);
    }
  }
  const [first] = failures;
  if (first !== undefined && failures.length === questions.asked.length) throw first;
  await renderer.end();
  if (rows === 0 && failures.length === 0) notices.remark("nothing found");
  return failures.length > 0 || (missing > 0 && questions.missing === "fail") ? 8 : 0;
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
    isUnicode: /utf-?8/iu.test(context.env["LC_ALL"] ?? context.env["LC_CTYPE"] ?? context.env["LANG"] ?? ""),
    now: options.now,
  });
}

/** The walk for one question, row by row to the screen; says what was left out and how to go on. */
async function showPages(
  run: Run,
  question: Question,
  renderer: Renderer,
): Promise<{ rows: number; missing: number }> {
  const { questions, options, notices } = run;
  const { client } = run.open;
  const pages = await wantedPages(client, question, { ...questions, isValidated: options.isValidated });
  let [rows, missing] = [0, 0];
  let last: Page | undefined;
  for await (const page of pages) {
    rows += page.rows.length;
    missing += page.missing?.length ?? 0;
    if (questions.missing !== "null") nameMissing(page, notices);
    await renderer.page(page);
    last = page;
  }
  if (questions.limit !== undefined && last !== undefined) {
    const more = moreLine(question, run.flags, last, questions.walk.pageSize);
    if (more !== undefined) notices.remark(more);
  }
  if (rows === 0) {
    const hint = await hintAtEmpty(run.context, client, question);
    if (hint !== undefined) notices.warn(hint);
  }
  return { rows, missing };
}

function nameMissing(page: Page, notices: Notices): void {
  for (const { network, address } of page.missing ?? []) notices.warn(`no price: ${network}:${address}`);
}

/** A wrong address among several is that input's failure; key, credits, pace and network are everybody's. */
function isOfOneInput(failure: Failure): boolean {
  const { status } = failure.details;
  return status === 404 || status === 400;
}

/** A key that the service does not count under its plan is a silent loss: it is said whoever listens. */
function warnOfPlan({ client }: OpenClient, notices: Notices): void {
  const { plan } = client.meter;
  const { tier, key } = client.target;
  if (plan === undefined || plan === tier) return;
  const why = key !== undefined && plan === "keyless" ? ": the key was not counted" : "";
  notices.warn(`dexdata: the service counted this as ${plan}, not ${tier}${why}; see: dexdata auth status`);
}
