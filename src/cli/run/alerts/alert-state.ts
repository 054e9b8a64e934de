import { usageFailure } from "../../../base/failure.ts";
import type { Context } from "../../../base/context/context.ts";
import { cannotBeWritten } from "../../../base/files/file-errors.ts";
import { openLogFile } from "../../../base/files/log-file.ts";
import { lookAt } from "../../../base/files/paths.ts";
import { removeStaged, replaceWithText } from "../../../base/files/replace-file.ts";
import { member, parseJson } from "../../../base/json/json-scan.ts";
import { linesOfFile } from "../../../base/files/synced-file.ts";
import { counted } from "../../../base/text/words.ts";
import { checkFile, holdFile, lockOf, targetOf, unwritable } from "../../../rows/out-file.ts";
import type { Run } from "../with-run.ts";
import type { Alert, AlertOptions, Memory } from "./alerts.ts";

/** In milliseconds. Older actions are not repeated, and their ids are forgotten. */
const maxAge = 600_000;
/** After this many new lines, the file is compacted. */
const maxLines = 5000;
const header = '{"alerts":1}';

/** A condition and an asset. */
type Pair = Parameters<Memory["becameFalse"]>;

type Entry =
  | { readonly begin: Alert; readonly at: number }
  | { readonly end: string; readonly at: number }
  | { readonly isTrue: Pair; readonly at: number }
  | { readonly isFalse: Pair };

/**
 * The checkpoint of `--state`: one line before an action begins, one after it has ended, and one when a condition fires
 * or becomes false. Lines survive the end of the process. If the machine fails, the last ones can be lost or damaged.
 */
export async function openAlertState(
  { context, report, onClose }: Pick<Run, "context" | "report" | "onClose">,
  name: string,
  options: Pick<AlertOptions, "by" | "cooldown">,
) {
  const { clock, random } = context;
  const file = targetOf(name);
  const label = `--state "${name}"`;
  checkFile(label, lookAt(file), "name a regular file");
  const lock = await holdFile(context, name, lockOf(file), report.hint, label);
  onClose(lock.release);
  removeStaged(file);
  const kept = createKept(clock, options);
  const [first = header, ...lines] = linesOfFile(file);
  if (first !== header)
    throw usageFailure(`${label}: not a file that --state has written`, "use another file");
  for (const line of lines) {
    const entry: unknown = parseJson(line);
    // A killed run may not have completed a line, and lines can be damaged in other ways.
    if (isEntry(entry)) kept.take(entry);
  }
  const expired = kept.forget();
  const earlier = kept.ids();
  if (expired > 0) report.warn(`${counted(expired, "alert")} from more than 10m ago not repeated`);

  let written = 0;
  /** What this run has written last. */
  let left = lookAt(file);
  const rewrite = (failed: (cause: unknown) => void): boolean => {
    written = 0;
    try {
      replaceWithText(random, file, `${header}\n${linesOf(kept.entries())}`, { mode: 0o600, isSynced: true });
      left = lookAt(file);
      return true;
    } catch (cause) {
      failed(cause);
      return false;
    }
  };
  let isReported = false;
  const warnOnce = (problem: string): void => {
    if (!isReported) report.warn(problem);
    isReported = true;
  };
  // Without the first entries, nothing would be kept, so the run does not begin.
  rewrite((cause) => {
    throw unwritable(label, cause);
  });
  const append = openLogFile({ file, label, onProblem: warnOnce });
  /** Whether the file has all entries. If one was not written completely, the next one would be damaged as well. */
  let isComplete = true;
  /** Not if another program has renamed, removed or changed the file. */
  const isUnchanged = (): boolean => {
    const found = lookAt(file);
    return found !== undefined && found.ino === left?.ino && found.size === left.size;
  };
  /** The entries are written at once, so that a killed run leaves all of them or none. */
  const add = (...entries: readonly Entry[]): void => {
    for (const entry of entries) kept.take(entry);
    written += entries.length;
    isComplete &&= isUnchanged() && append(linesOf(entries));
    left = lookAt(file);
    if (isComplete && written < maxLines) return;
    kept.forget();
    isComplete = rewrite((cause) => warnOnce(`${label}: ${cannotBeWritten(cause)}`)) || isComplete;
  };
  return {
    firedFor: kept.firedFor,
    isTrue: kept.isTrue,
    becameFalse: (...isFalse: Pair): void => add({ isFalse }),
    isDone: ({ id }: Alert): boolean => earlier.has(id),
    begin: (begin: Alert): void => add(...beginningOf(begin, clock.now(), options)),
    end: (id: string): void => add({ end: id, at: clock.now() }),
    /** Alerts whose action has to run again, marked with `repeat`. */
    repeated: kept.unended().map((alert) => ({
      ...alert,
      line: alert.line.replace(/\}\n$/u, ',"repeat":true}\n'),
    })),
  };
}

const linesOf = (entries: readonly Entry[]): string =>
  entries.map((each) => `${JSON.stringify(each)}\n`).join("");

/** A row that matches is over at once, and is kept only for its cooldown. */
function beginningOf(
  begin: Alert,
  at: number,
  { by, cooldown }: Pick<AlertOptions, "by" | "cooldown">,
): readonly Entry[] {
  if (begin.alert !== "match" || (by === "row" && cooldown === 0)) return [{ begin, at }];
  const pair: Pair = [begin.condition, begin.asset];
  return [{ begin, at }, { isTrue: pair, at }, ...(by === "row" ? [{ isFalse: pair }] : [])];
}

function createKept({ now }: Pick<Context["clock"], "now">, { cooldown }: Pick<AlertOptions, "cooldown">) {
  const actions = new Map<string, { readonly begin: Alert; readonly at: number }>();
  const ended = new Map<string, number>();
  /** When each condition last fired, by its pair as JSON. */
  const fired = new Map<string, number>();
  /** Those that have become false since then, and are kept for the cooldown. */
  const over = new Set<string>();
  return {
    take: (entry: Entry): void => {
      if ("isFalse" in entry) over.add(JSON.stringify(entry.isFalse));
      else if ("isTrue" in entry) {
        const pair = JSON.stringify(entry.isTrue);
        fired.set(pair, entry.at);
        over.delete(pair);
      } else if ("end" in entry) {
        actions.delete(entry.end);
        ended.set(entry.end, entry.at);
      } else actions.set(entry.begin.id, entry);
    },
    firedFor: (...pair: Pair): number | undefined => {
      const at = fired.get(JSON.stringify(pair));
      // The clock may have been ahead in the run before; a negative time would hold back alerts until it is reached.
      return at === undefined ? undefined : Math.max(0, now() - at);
    },
    isTrue: (...pair: Pair): boolean => fired.has(JSON.stringify(pair)) && !over.has(JSON.stringify(pair)),
    ids: (): ReadonlySet<string> => new Set([...actions.keys(), ...ended.keys()]),
    /** Returns how many actions without an end are too old. */
    forget: (): number => {
      const from = now() - maxAge;
      for (const [id, at] of ended) if (at < from) ended.delete(id);
      for (const pair of over)
        if ((fired.get(pair) ?? 0) <= now() - cooldown) for (const each of [fired, over]) each.delete(pair);
      const old = [...actions].filter(([, { at }]) => at < from);
      for (const [id] of old) actions.delete(id);
      return old.length;
    },
    unended: () => [...actions.values()].map(({ begin }) => begin),
    entries: (): readonly Entry[] => [
      ...Array.from(ended, ([end, at]) => ({ end, at })),
      ...actions.values(),
      ...Array.from(fired, ([pair, at]) => ({ isTrue: JSON.parse(pair), at })),
      ...Array.from(over, (pair) => ({ isFalse: JSON.parse(pair) })),
    ],
  };
}

const isText = (value: unknown): boolean => typeof value === "string";
const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isText);

const isEntry = (value: unknown): value is Entry => {
  const [begin, end, isTrue, isFalse, at] = ["begin", "end", "isTrue", "isFalse", "at"].map((name) =>
    member(value, name),
  );
  if (isPair(isFalse)) return true;
  if (typeof at !== "number") return false;
  const parts = ["id", "alert", "condition", "asset", "line"];
  return isPair(isTrue) || isText(end) || parts.every((name) => isText(member(begin, name)));
};
