import type { Context } from "../../base/context/context.ts";
import type { Failure } from "../../base/failure.ts";
import { escapeJsonText } from "../../base/json/json-text.ts";
import { hideSecrets } from "../../base/key.ts";
import type { ErrorFormat } from "../../api/output-format.ts";
import { settings } from "../../client/settings.ts";
import { chooseOutput, defaultErrorFormat } from "../render/formats/formats.ts";
import { visibleText } from "../../base/text/unsafe-text.ts";
import { settledValue } from "../settings/read-settings.ts";
import { inSandbox, prefixes } from "./report.ts";
import type { TypedFlags } from "./flags/flag.ts";
import type { Run } from "./with-run.ts";

/** Up to three lines for people, or one JSON object for programs. */
export async function reportFailure(
  context: Context,
  failure: Failure,
  format: ErrorFormat,
  isSandbox: boolean,
): Promise<void> {
  const text = format === "json" ? failureJson(failure, isSandbox) : failureText(failure, isSandbox);
  // A closed stderr must not change the exit code.
  await context.stderr.write(hideSecrets(text)).catch(() => undefined);
}

/** The problem, the reason from the service, and the next step. */
function failureText(failure: Failure, isSandbox: boolean): string {
  const { why } = failure.details;
  const next = nextOf(failure, isSandbox);
  const lines = [`${prefixes.error}${shown(failure.message)}`];
  if (why !== undefined && why !== failure.message) lines.push(`  service: ${shown(why)}`);
  if (next !== undefined) lines.push(`  hint: ${shown(next)}`);
  return `${lines.join("\n")}\n`;
}

/** Suggests `explain` if the service rejected the request and there is no other hint. */
function nextOf({ details: { next, status, code } }: Failure, isSandbox: boolean): string | undefined {
  if (next !== undefined) return isSandbox ? inSandbox(next) : next;
  return status === undefined ? undefined : `see: dexdata explain ${code}`;
}

const longestLine = 500;

function shown(text: string): string {
  const visible = visibleText(text);
  if (visible.length <= longestLine) return visible;
  // Cutting a surrogate pair in half would print a replacement character.
  return `${visible.slice(0, longestLine).replace(/\p{Cs}$/u, "")}…`;
}

/** dexdata's own fields come first, and then each field from the response body, with every digit of its numbers. */
function failureJson(failure: Failure, isSandbox: boolean): string {
  const { code, status, exit, retryable, why, body, incomplete } = failure.details;
  const own = {
    code,
    message: failure.message,
    status,
    exit,
    retryable: retryable ?? false,
    next: nextOf(failure, isSandbox),
    service_message: why,
    missing_rows: incomplete?.missing,
  };
  const known = Object.entries(own).filter(([, value]) => value !== undefined);
  const members = new Map(known.map(([name, value]) => [name, JSON.stringify(value)]));
  for (const [name, text] of body ?? []) {
    if (!members.has(name)) members.set(name, text.trim().replaceAll(/[\r\n]/gu, " "));
  }
  const text = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
  return `${escapeJsonText(`{${text}}`)}\n`;
}

/** One of several inputs failed, in the same form as a run's failure. People get the hint only if `hasHint` is true. */
export function reportInput(
  { options, report }: Pick<Run, "options" | "report">,
  failure: Failure,
  hasHint: boolean,
): void {
  const isSandbox = options.sandbox?.isFlagged === true;
  if (options.errorFormat === "json") return report.print(failureJson(failure, isSandbox).trimEnd());
  report.fault(failure.message);
  if (hasHint && failure.details.next !== undefined) report.print(`  hint: ${nextOf(failure, isSandbox)}`);
}

/** The command line may be only partly parsed, because this also runs after a parse error. */
export function errorFormat(typed: TypedFlags, context: Context): ErrorFormat {
  const asked = typed.get("error-format")?.findLast((text) => text === "json" || text === "text");
  if (asked === "json" || asked === "text") return asked;
  const [output, out] = [typed.get("output")?.at(-1), typed.get("out")?.at(-1)];
  const hasPicture = typed.has("chart") || typed.has("spark");
  const setting = context.env["DEXDATA_OUTPUT"] || settledValue(context, settings.output);
  // Rows in a file have the same format as rows in a pipe.
  const isTerminal = out === undefined && context.stdout.isTerminal;
  const chosen = chooseOutput({ output, out, hasPicture, setting }, isTerminal);
  return defaultErrorFormat(chosen, context.stderr.isTerminal);
}
