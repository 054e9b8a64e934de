import { usageFailure } from "../../../base/failure.ts";
import type { Context } from "../../../base/context/context.ts";
import { openLogFile } from "../../../base/files/log-file.ts";
import { lookAt } from "../../../base/files/paths.ts";
import { replaceWithText } from "../../../base/files/replace-file.ts";
import { linesOfFile } from "../../../base/files/synced-file.ts";
import { counted } from "../../../base/text/words.ts";
import { checkFile, holdFile, lockOf, targetOf } from "../../../rows/out-file.ts";
import type { Run } from "../with-run.ts";
import type { Alert, AlertOptions, Memory } from "./alerts.ts";

/** In milliseconds. Older actions are not repeated, and their ids are forgotten. */
const maxAge = 600_000;
/** After this many new lines, the file is compacted. */
const maxLines = 5000;
const header = '{"alerts":1}';

interface Begun {
  readonly begin: Alert;
  readonly at: number;
}

type Entry =
  | Begun
  | { readonly end: string; readonly at: number }
  | { readonly isFalse: readonly [condition: string, asset: string] };

/**
 * The checkpoint of `--state`: one line before an action begins, one after it has ended, and one when a condition becomes
 * false. Lines survive the end of the process. If the machine fails, the last ones can be lost or damaged.
 */
export async function openAlertState(
  { context, report, onClose }: Pick<Run, "context" | "report" | "onClose">,
  name: string,
  by: AlertOptions["by"],
) {
  const { clock, random } = context;
  const file = targetOf(name);
  const label = `--state "${name}"`;
  checkFile(label, lookAt(file), "name a regular file");
  const lock = await holdFile(context, name, lockOf(file), report.hint, label);
  onClose(lock.release);
  const kept = createKept(by, clock);
  const [first = header, ...lines] = linesOfFile(file);
  if (first !== header)
    throw usageFailure(`${label}: not a file that --state has written`, "use another file");
  for (const line of lines) kept.take(parseEntry(line));
  const expired = kept.forget();
  const earlier = kept.ids();
  if (expired > 0) report.warn(`${counted(expired, "alert")} from more than 10m ago not repeated`);

  let written = 0;
  const rewrite = (): boolean => {
    const text = [header, ...kept.entries().map((each) => JSON.stringify(each)), ""].join("\n");
    written = 0;
    try {
      replaceWithText(random, file, text, { mode: 0o600, isSynced: true });
      return true;
    } catch {
      // The disk may be full.
      return false;
    }
  };
  const append = openLogFile({ file, label, onProblem: report.warn });
  /** Whether the file has all entries. If one was not written completely, the next one would be damaged as well. */
  let isComplete = rewrite();
  const add = (entry: Entry): void => {
    kept.take(entry);
    written += 1;
    isComplete &&= append(`${JSON.stringify(entry)}\n`);
    if (isComplete && written < maxLines) return;
    kept.forget();
    isComplete = rewrite() || isComplete;
  };
  return {
    firedFor: kept.firedFor,
    becameFalse: (...isFalse: Parameters<Memory["becameFalse"]>): void => add({ isFalse }),
    isDone: ({ id }: Alert): boolean => earlier.has(id),
    begin: (begin: Alert): void => add({ begin, at: clock.now() }),
    end: (id: string): void => add({ end: id, at: clock.now() }),
    /** Alerts whose action has to run again, marked with `repeat`. */
    repeated: kept.unended().map((alert) => ({
      ...alert,
      line: alert.line.replace(/\}\n$/u, ',"repeat":true}\n'),
    })),
  };
}

const keyOf = (condition: string, asset: string): string => `${condition}\n${asset}`;

function createKept(by: AlertOptions["by"], { now }: Pick<Context["clock"], "now">) {
  const actions = new Map<string, Begun>();
  const ended = new Map<string, number>();
  /** The alerts of the conditions that are true. */
  const fired = new Map<string, Begun>();
  return {
    take: (entry: Entry | undefined): void => {
      if (entry === undefined) return;
      if ("isFalse" in entry) fired.delete(keyOf(...entry.isFalse));
      else if ("end" in entry) {
        actions.delete(entry.end);
        ended.set(entry.end, entry.at);
      } else {
        const { id, alert, condition, asset } = entry.begin;
        actions.set(id, entry);
        if (by === "crossing" && alert === "match") fired.set(keyOf(condition, asset), entry);
      }
    },
    firedFor: (condition: string, asset: string): number | undefined => {
      const found = fired.get(keyOf(condition, asset));
      // The clock may have been ahead in the run before; a negative time would hold back alerts until it is reached.
      return found && Math.max(0, now() - found.at);
    },
    ids: (): ReadonlySet<string> => new Set([...actions.keys(), ...ended.keys()]),
    /** Returns how many actions without an end are too old. */
    forget: (): number => {
      const from = now() - maxAge;
      for (const [id, at] of ended) if (at < from) ended.delete(id);
      const old = [...actions].filter(([, { at }]) => at < from);
      for (const [id] of old) actions.delete(id);
      return old.length;
    },
    unended: () => [...actions.values()].map(({ begin }) => begin),
    /** Conditions that are true come last, because an action may have begun before its condition became false. */
    entries: (): readonly Entry[] => [
      ...[...ended].map(([end, at]) => ({ end, at })),
      ...[...actions.values()].flatMap((begun): Entry[] => [
        begun,
        { isFalse: [begun.begin.condition, begun.begin.asset] },
      ]),
      ...[...fired.values()].flatMap((begun): Entry[] => {
        const { id } = begun.begin;
        return actions.has(id) ? [begun] : [begun, { end: id, at: begun.at }];
      }),
    ],
  };
}

/** Undefined for a line that a killed run has not completed. */
function parseEntry(line: string): Entry | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
