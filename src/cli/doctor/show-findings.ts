import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { hideSecrets } from "../../contract/key.ts";
import { roomOf } from "../../render/table/fit-columns.ts";
import { createPaint } from "../../render/painter.ts";
import { visibleText } from "../../render/sanitise.ts";
import { wrapWords } from "../../render/table/wrap-words.ts";
import { readsUnicode } from "../output/presentation.ts";
import type { FlagValues } from "../flags/flags.ts";
import { counted } from "../../text/counted.ts";
import { isColored, settledColor } from "../output/is-colored.ts";
import { formatOf, writeRows } from "../output/local-output.ts";
import type { Finding } from "./finding.ts";

export interface Findings {
  readonly add: (findings: readonly Finding[]) => Promise<void>;
  /** What there is to say of all, and the exit code they mean: of the first that failed. */
  readonly end: () => Promise<ExitCode>;
}

/** People see each as it is found; programs get an object a check, at the end. */
export function showFindings(context: Context, flags: FlagValues): Findings {
  const all: Finding[] = [];
  const isTable = formatOf(context, flags) === "table";
  const paint = createPaint(isColored(settledColor(context), context));
  const marks = context.stdout.isTerminal && readsUnicode(context.env) ? signs : undefined;
  return {
    add: async (findings) => {
      all.push(...findings);
      if (!isTable) return;
      for (const { check, result, found, next } of findings) {
        const mark = (await paint)(
          (marks?.[result] ?? result).padEnd(marks === undefined ? 4 : 1),
          tones[result],
        );
        const begin = marks === undefined ? 6 : 3;
        const name = check.padEnd(20);
        const lines = [
          `${mark}  ${name}  ${wrapped(clean(found), begin + name.length + 2, context)}`,
          ...(next === undefined ? [] : [`${" ".repeat(begin)}${wrapped(clean(next), begin, context)}`]),
        ];
        await context.stdout.write(lines.map((line) => `${line}\n`).join(""));
      }
    },
    end: async () => {
      if (isTable) await context.stdout.write(`\n${closingLine(all)}\n`);
      else
        await writeRows(
          context,
          flags,
          all.map(({ check, result, found, next }) => ({
            check,
            result,
            found: hideSecrets(found),
            next: next ?? null,
          })),
        );
      return all.find(({ result }) => result === "fail")?.exit ?? 0;
    },
  };
}

const signs = { ok: "✓", warn: "!", fail: "✗" } as const;
const tones = { ok: "up", warn: "heading", fail: "down" } as const;

/** Further lines begin below the first, where a window has room for both. */
function wrapped(text: string, begin: number, { stdout }: Context): string {
  const room = (roomOf(stdout) ?? Number.POSITIVE_INFINITY) - begin;
  return room < 20 ? text : wrapWords(text, room).join(`\n${" ".repeat(begin)}`);
}

const clean = (text: string): string => visibleText(hideSecrets(text));

function closingLine(all: readonly Finding[]): string {
  const [warnings, failures] = (["warn", "fail"] as const).map(
    (kind) => all.filter(({ result }) => result === kind).length,
  );
  if (warnings === 0 && failures === 0) return `all ${all.length} checks are ok`;
  return `${counted(all.length, "check")}: ${counted(warnings ?? 0, "warning")}, ${failures} failed`;
}
