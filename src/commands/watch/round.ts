import type { Client } from "../../client/client.ts";
import type { Page } from "../../client/pages/page.ts";
import type { Args } from "../../contract/args.ts";
import { type TextRow, textRows } from "../../client/rows/rows.ts";
import type { Context } from "../../context/context.ts";
import { Failure, isOfOneInput } from "../../contract/failure.ts";
import { answers } from "../../pull/pull-answers.ts";
import { reachOf } from "../../client/pages/distinct-pages.ts";
import { createSeenKeys } from "../../client/pages/seen-keys.ts";
import type { Questions } from "../asking/questions.ts";
import { withSuggestion } from "../asking/suggestion.ts";

export type RowsOfGroup = Pick<Page, "group" | "rows">;

/** All that was asked for, once. */
export interface Round {
  /** Its questions: relative times move with each round. */
  readonly asked: readonly Args[];
  /** One entry for each group of rows, in the order of the answer. */
  readonly groups: readonly RowsOfGroup[];
  /** What the service left out, of several inputs. */
  readonly notes: readonly string[];
  /** What it refused of them. */
  readonly refused: readonly string[];
}

/** A refusal of one input among several is noted; one that leaves no row is thrown. */
export async function askRound(
  context: Context,
  client: Client,
  questions: Questions,
  isValidated: boolean,
): Promise<Round> {
  const { endpoint, asked } = questions;
  const groups = new Map<string, TextRow[]>();
  const failures: Failure[] = [];
  const notes: string[] = [];
  const keep = async (cause: Failure, question: Parameters<typeof withSuggestion>[3]): Promise<void> => {
    const failure = await withSuggestion(cause, context, client, question);
    if (asked.length === 1 && questions.walk.subjects === undefined) throw failure;
    if (!isOfOneInput(failure)) throw failure;
    failures.push(failure);
  };
  const seen = createSeenKeys(reachOf(endpoint), false);
  const wish = { ...questions, isValidated };
  for await (const part of answers(client, endpoint, asked, wish, { question: 0, rowsOfQuestion: 0 }, seen)) {
    if (part.kind === "failure") await keep(part.failure, part.question);
    if (part.kind !== "page") continue;
    const { group, rows, missing = [], refused, warning } = part.page;
    if (warning !== undefined) notes.push(warning);
    const held = groups.get(group) ?? [];
    groups.set(group, held);
    held.push(...rows.values().map((value, index) => ({ row: rows.text(index), value })));
    if (questions.missing !== "null")
      notes.push(...missing.map(({ network, address }) => `no price: ${network}:${address}`));
    if (refused !== undefined) await keep(refused.failure, { ...part.question, args: refused.args });
  }
  const [first] = failures;
  const all = [...groups].map(([group, held]) => ({ group, rows: textRows(held) }));
  if (first !== undefined && all.every(({ rows }) => rows.length === 0)) throw first;
  return { asked, groups: all, notes, refused: failures.map(({ message }) => message) };
}
