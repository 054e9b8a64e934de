import { asFailure } from "../../../base/failure.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { hideSecrets } from "../../../base/key.ts";
import { createPaint, isUsuallyColored, readsUnicode } from "../../render/terminal.ts";
import { visibleText } from "../../../base/text/unsafe-text.ts";
import { roomOf } from "../../render/table/fit-columns.ts";
import { textWidth } from "../../render/values/width.ts";
import type { LocalOutputFlags } from "../../run/flags/shared-flags.ts";
import { formatOf, writeRows } from "../../run/output/local-output.ts";
import { counted, wrapWords } from "../../../base/text/words.ts";

export interface Finding {
  readonly check: string;
  readonly result: "ok" | "warn" | "fail";
  readonly found: string;
  /** Undefined if the result is ok. */
  readonly next: string | undefined;
  /** That of a command that fails for the same reason. */
  readonly exit: ExitCode;
}

export type Outcome = Omit<Finding, "check">;

export const ok = (found: string): Outcome => ({ result: "ok", found, next: undefined, exit: 0 });

export const warn = (found: string, next: string): Outcome => ({ result: "warn", found, next, exit: 0 });

export function fail(found: string, next: string, exit: ExitCode = 2): Outcome {
  return { result: "fail", found, next, exit };
}

export function failed(cause: unknown, next = "see: dexdata help exit-codes"): Outcome {
  const { message, exit, details } = asFailure(cause);
  const why = details.why === undefined ? "" : `: ${details.why}`;
  return fail(`${message}${why}`, details.next ?? next, exit);
}

type Check = () => Outcome | undefined | Promise<Outcome | undefined>;

/** The outcome is undefined if the check does not apply. */
export async function findingsOf(check: string, run: Check): Promise<readonly Finding[]> {
  try {
    const outcome = await run();
    return outcome === undefined ? [] : [{ check, ...outcome }];
  } catch (cause) {
    return [{ check, ...failed(cause) }];
  }
}

export function hasFailure(findings: readonly Finding[]): boolean {
  return findings.some(({ result }) => result === "fail");
}

const signs = { ok: "✓", warn: "!", fail: "✗" } as const;
const tones = { ok: "up", warn: "heading", fail: "down" } as const;
/** The width of the longest check name and the space after it. */
const nameWidth = 22;

export type FindingsOutput = ReturnType<typeof openFindings>;

/** A table shows each finding immediately. The other formats print one object per check at the end. */
export function openFindings(context: Context, flags: LocalOutputFlags) {
  const all: Finding[] = [];
  const isTable = formatOf(context, flags) === "table";
  const painting = createPaint(isUsuallyColored(context));
  const hasSigns = context.stdout.isTerminal && readsUnicode(context.env);
  const markWidth = hasSigns ? 1 : 4;
  const indent = markWidth + 2;
  const add = async (findings: readonly Finding[]): Promise<void> => {
    all.push(...findings);
    if (!isTable) return;
    const paint = await painting;
    for (const { check, result, found, next } of findings) {
      const mark = paint((hasSigns ? signs[result] : result).padEnd(markWidth), tones[result]);
      const first = `${mark}  ${check.padEnd(nameWidth)}${wrapped(found, indent + nameWidth, context)}\n`;
      const hint = next === undefined ? "" : `${" ".repeat(indent)}${wrapped(next, indent, context)}\n`;
      await context.stdout.write(`${first}${hint}`);
    }
  };
  return {
    add,
    /** Returns false if the check failed. */
    check: async (name: string, run: Check): Promise<boolean> => {
      const findings = await findingsOf(name, run);
      await add(findings);
      return !hasFailure(findings);
    },
    /** Returns the exit code of the first failure. */
    end: async (): Promise<ExitCode> => {
      const rows = all.map(({ check, result, found, next = null }) => ({
        check,
        result,
        found: hideSecrets(found),
        next,
      }));
      if (isTable) await context.stdout.write(`\n${closingLine(all)}\n`);
      else await writeRows(context, flags, rows);
      return all.find(({ result }) => result === "fail")?.exit ?? 0;
    },
  };
}

/** If the terminal is wide enough, continuation lines are indented to the start of the text. */
function wrapped(text: string, indent: number, { stdout }: Context): string {
  const clean = visibleText(hideSecrets(text));
  const room = (roomOf(stdout) ?? Number.POSITIVE_INFINITY) - indent;
  return room < 20 ? clean : wrapWords(clean, room, textWidth).join(`\n${" ".repeat(indent)}`);
}

function closingLine(all: readonly Finding[]): string {
  const warnings = all.filter(({ result }) => result === "warn").length;
  const failures = all.filter(({ result }) => result === "fail").length;
  if (warnings === 0 && failures === 0) return `all ${all.length} checks passed`;
  return `${counted(all.length, "check")}: ${counted(warnings, "warning")}, ${failures} failed`;
}
