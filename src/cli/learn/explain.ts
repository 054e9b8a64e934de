import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import { nearest } from "../../text/nearest.ts";
import { didYouMean } from "../asking/nearest-command.ts";
import type { FlagValues } from "../flags/flags.ts";
import type { Block } from "../help/page.ts";
import { printPage } from "../help/print-page.ts";
import { writeDocument } from "../output/local-output.ts";
import { explainedWords, type Explanation, explanationOf } from "./explanation.ts";

/** What an error code, a status or an exit code means, offline; text for people unless a format is asked for. */
export async function explain(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  const word = words
    .join(" ")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");
  if (word === "")
    throw usageFailure("an error code, a status or an exit code is needed", "usage: dexdata explain <code>");
  const explanation = explanationOf(word);
  if (explanation === undefined) {
    const near = /^_?\d/u.test(word) ? undefined : nearest(word, explainedWords());
    throw usageFailure(
      `"${words.join(" ")}": no error code, status or exit code`,
      didYouMean(
        near,
        `known: ${explainedWords()
          .filter((each) => !/^\d/u.test(each))
          .slice(0, 17)
          .join(", ")}`,
      ),
    );
  }
  const isDrawn = flags["output"] === undefined || flags["output"] === "table";
  if (isDrawn) await printPage(pageOf(explanation), context);
  else await writeDocument(context, flags, explanation);
  return 0;
}

function pageOf(explanation: Explanation): readonly Block[] {
  const { word, kind, meaning, status, exit, retryable, next, codes = [], example } = explanation;
  const rows: [string, string][] = [["meaning", meaning]];
  if (status !== undefined && String(status) !== word) rows.push(["status", String(status)]);
  if (String(exit) !== word) rows.push(["exit code", String(exit)]);
  if (retryable !== undefined)
    rows.push([
      "retryable",
      retryable ? "yes: the same command may succeed later" : "no: it is not tried again by itself",
    ]);
  rows.push(["next", next]);
  return [
    { heading: `${word}, ${article(kind)}`, rows },
    ...(codes.length === 0 ? [] : [{ heading: "Codes", rows: codes.map(withMeaning) }]),
    ...(example === undefined
      ? []
      : [{ heading: "Example of the body", commands: [JSON.stringify(example)] }]),
  ];
}

const withMeaning = (code: string): readonly [string, string] => [code, explanationOf(code)?.meaning ?? ""];

const article = (kind: string): string =>
  (/^[aeio]/iu.test(kind) ? `an ${kind}` : `a ${kind}`).replace("a HTTP", "an HTTP");
