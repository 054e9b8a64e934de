import path from "node:path";
import { groupBy } from "../../../base/group-by.ts";
import { type RowShape, rowShape } from "../../../api/endpoint.ts";
import { fail } from "../../../base/failure.ts";
import {
  earlierFiles,
  fileOf,
  fillFields,
  fixedFolder,
  flatName,
  hasNames,
  type PathNames,
} from "../../../base/files/file-pattern.ts";
import { explainedWrite } from "../../../base/files/file-errors.ts";
import { readLastLines, withoutPrefix } from "../../../base/files/last-lines.ts";
import { lookAt, makeFolder } from "../../../base/files/paths.ts";
import { textOfFile } from "../../../base/files/synced-file.ts";
import { removeStaged, replaceWithText } from "../../../base/files/replace-file.ts";
import { instant } from "../../../base/text/words.ts";
import { isObject, member, parseJson } from "../../../base/json/json-scan.ts";
import {
  type Earlier,
  type FollowState,
  readFollowedRow,
  type FollowedRow,
} from "../../../client/followed-row.ts";
import type { Report } from "../../run/report.ts";
import type { Run } from "../../run/with-run.ts";
import type { Options } from "./followed-lists.ts";
import type { Output } from "../../../base/context/context.ts";
import { holdFile } from "../../../rows/out-file.ts";
import { checkOutPattern } from "../../../rows/rotating-file.ts";
import { lockOfPattern, openAppendedFile } from "../stream/stream-output.ts";

type FollowFiles = Awaited<ReturnType<typeof openFollowFiles>>;

/**
 * The `--out` files keep rows from earlier runs. `names` are the fields in braces that the rows have, with their values
 * if all rows have the same.
 */
export async function openFollowFiles(run: Run, out: string, names: PathNames) {
  const { context, report } = run;
  checkOutPattern(out, context.clock.now(), Object.keys(names));
  const files = await openAppendedFile(run, out, names);
  const checkUnused = async (others: PathNames): Promise<void> => {
    const other = lockOfPattern(out, others);
    if (other === files.lockFile || lookAt(other) === undefined) return;
    (await holdFile(context, out, other, report.hint)).release();
  };
  // A run of several pools has another lock.
  await checkUnused({ network: "", pool: "" });
  let place = { time: 0, names };
  /** Since the last `sync`. Some of them may be closed by now, and not yet on the disk. */
  let written = new Set<string>();
  const output: Output = {
    ...files,
    write: async (text) => await files.write(text, place.time, place.names),
  };
  return {
    pattern: out,
    output,
    /** Groups the rows by file. Each group must be written before the next one is requested. */
    *split(rows: readonly FollowedRow[], namesOf: (row: FollowedRow) => PathNames) {
      const parts = groupBy(rows, (row) => fileOf(out, row.at.seconds * 1000, namesOf(row)));
      for (const [file, part] of parts) {
        const [first] = part;
        if (first === undefined) continue;
        written.add(file);
        place = { time: first.at.seconds * 1000, names: namesOf(first) };
        yield part;
      }
    },
    /** Saves all written rows to disk. Returns the sizes of the files. */
    sync: async () => {
      const saved = written;
      written = new Set();
      return await files.sync(saved);
    },
    /** Fails if another run writes to the files of rows with these names. */
    checkUnused,
  };
}

/** In milliseconds. */
const saveEvery = 5000;
/** A run that is killed leaves at most twice as many rows that are not in the checkpoint, and the time in between. */
const saveAfterRows = 10_000;
/** Bytes at the end of each file that was written around the time of the checkpoint or later. */
const endBytes = 32 * 1024 * 1024;
const around = 60_000;
/** The same without a checkpoint, for the files with the latest names. */
const ofFilesAlone = { bytes: 2 * 1024 * 1024, files: 100 };
/** Without a checkpoint, this many seconds before the newest row are read again. */
const resumeSeconds = 3600;

interface Rows extends Pick<Options, "isOfMany" | "ownerOf"> {
  /** The value of `--out`, with the names that all rows have. */
  readonly named: string;
  /** Whose rows the files contain. */
  readonly service: string;
  readonly shape: RowShape;
  readonly report: Pick<Report, "info" | "warn">;
}

/**
 * Where each list continues after a restart: when it was last read, and which rows of that time are written. A quiet
 * list's last rows may be far from the end of the files, so the files alone do not show it. Rows that were written after
 * the checkpoint are at their ends. A list that is removed stays, because it may come back. Throws if the checkpoint
 * belongs to something else.
 */
export async function openCheckpoint(
  { context, report }: Run,
  { plan: { endpoint }, names: fields, isOfMany, ownerOf }: Options,
  { pattern: out, sync }: FollowFiles,
  service: string,
  failed: (cause: unknown) => void,
) {
  // One run for each pool may use the same pattern.
  const named = !isOfMany && hasNames(out) ? fillFields(out, fields) : out;
  const options: Rows = { named, service, shape: rowShape(endpoint), ownerOf, isOfMany, report };
  const folder = fixedFolder(named);
  // The directories of a pattern exist for its rows only. The name is hidden, because programs read rows by patterns such
  // as `swaps-*`, and would take the checkpoint for rows.
  const file = path.join(folder, `.${flatName(folder, named)}.follow`);
  removeStaged(file);
  const saved = readSaved(file, options);
  const ends = await readEnds(options, saved);
  const states = new Map(
    Object.entries(saved?.lists ?? {}).map(([name, state]) => {
      const { from, rows } = readState(state);
      return [name, JSON.stringify({ from, rows: [...rows, ...keysOf(endOf(options, ends, name))] })];
    }),
  );
  let inFile: ReadonlySet<string> = new Set(states.keys());
  let [isChanged, rowsSince] = [false, 0];
  let last: Promise<void> = Promise.resolve();

  const save = async (): Promise<void> => {
    if (!isChanged) return;
    [isChanged, rowsSince] = [false, 0];
    makeFolder(folder);
    // The rows of these states are written, so they are on the disk before the checkpoint is.
    const names = new Set(states.keys());
    const lists = Array.from(states, ([name, state]) => `${JSON.stringify(name)}:${state}`);
    const header = JSON.stringify({ dexdata: "follow", service, files: await sync() }).slice(0, -1);
    const text = `${header},"lists":{\n${lists.join(",\n")}\n}}\n`;
    const replace = (): void => replaceWithText(context.random, file, text, { mode: 0o666, isSynced: true });
    explainedWrite(file, replace, "check the permissions of the directory");
    inFile = names;
  };
  const saveInTurn = (): Promise<void> => {
    last = last.then(save);
    last.catch(failed);
    return last;
  };
  const release = context.clock.every(saveEvery, () => void saveInTurn());

  return {
    file,
    /** Undefined if this list is not in the checkpoint. */
    earlier: (name: string): Earlier | undefined => {
      const state = states.get(name);
      if (state === undefined) return undefined;
      const { from, rows } = readState(JSON.parse(state));
      return { from, rows, since: from };
    },
    /** Without a checkpoint, whether the files have rows that may be of this list. */
    hasEarlier: (name: string): boolean => saved === undefined && endOf(options, ends, name).length > 0,
    /** Without a checkpoint, where the files end. Ignores rows dated after `latest`, in Unix seconds. */
    earlierInFiles: (name: string, latest: number): Earlier | undefined =>
      saved === undefined ? findEnd(options, ends, name, latest) : undefined,
    /**
     * Must be awaited before rows of this list are written. A list that has rows is thus in the checkpoint, even if the run
     * is killed or the disk is full a moment later.
     */
    begun: async (name: string): Promise<void> => {
      if (!inFile.has(name)) await saveInTurn();
    },
    progressed: (name: string, state: FollowState, rows: number): void => {
      states.set(name, JSON.stringify(state));
      isChanged = true;
      rowsSince += rows;
      if (rowsSince >= saveAfterRows) void saveInTurn();
    },
    close: async (): Promise<void> => {
      release();
      await saveInTurn();
    },
  };
}

type Ends = Awaited<ReturnType<typeof readEnds>>;

/** With the rows that do not show their list. */
const endOf = ({ ownerOf }: Rows, { rowsOf }: Ends, name: string): readonly FollowedRow[] => [
  ...(rowsOf.get(ownerOf(name)) ?? []),
  ...(rowsOf.get("") ?? []),
];

const keysOf = (rows: readonly FollowedRow[]): FollowState["rows"] =>
  rows.map(({ key, at }) => [key, at.seconds]);

function findEnd(options: Rows, ends: Ends, name: string, latest: number): Earlier | undefined {
  const { named, report, isOfMany, ownerOf } = options;
  const rows = endOf(options, ends, name);
  // Where another list ends says nothing about this one.
  const times = (isOfMany ? (ends.rowsOf.get(ownerOf(name)) ?? []) : rows)
    .map(({ at }) => at.seconds)
    .filter((seconds) => seconds <= latest);
  const mayHaveRows = isOfMany ? ends.isCut || rows.length > 0 : earlierFiles(named).length > 0;
  const which = isOfMany ? `${name} in ${named}` : named;
  if (times.length === 0 && mayHaveRows)
    report.warn(
      `cannot find where the rows of ${which} end; rows before this run may be missing, and rows since --from may be written twice`,
    );
  if (times.length === 0) return undefined;
  const newest = times.reduce((a, b) => Math.max(a, b));
  const since = times.reduce((a, b) => Math.min(a, b)) + 1;
  report.info(`continuing after the rows of ${named}, which end at ${instant(newest * 1000)}`);
  const from = Math.min(newest, Math.max(since, newest - resumeSeconds));
  return { from, rows: keysOf(rows), since };
}

type Saved = ReturnType<typeof readSaved>;

/** Undefined without a checkpoint, or if a file has become shorter since the checkpoint was written. */
function readSaved(file: string, { service, report }: Rows) {
  // In milliseconds, on the clock of the file system, which may have been set back since then.
  const at = lookAt(file)?.mtimeMs;
  if (at === undefined) return undefined;
  const saved = parseJson(textOfFile(file) ?? "");
  const lists = isObject(saved) ? member(saved, "lists") : undefined;
  if (!isObject(lists) || member(saved, "dexdata") !== "follow" || !Object.values(lists).every(isState))
    throw fail("checkpoint", `${file} is not a checkpoint of --follow`, {
      next: "name another file, or delete it to start over at --from",
    });
  const other = String(member(saved, "service"));
  // Those that were open, with their sizes.
  const files = Object.entries(Object(member(saved, "files")));
  const sizes = new Map(files.map(([name, size]) => [path.resolve(name), Number(size)] as const));
  const short = [...sizes].find(([name, size]) => (lookAt(name)?.size ?? size) < size);
  if (short !== undefined)
    report.warn(`ignoring the checkpoint ${file}: ${short[0]} has become shorter since it was written`);
  if (other === service) return short === undefined ? { lists, sizes, at } : undefined;
  throw fail("checkpoint", `${file} belongs to the rows of ${other}, not ${service}`, {
    next: "name another file for these rows",
  });
}

const isState = (state: unknown): boolean => typeof member(state, "from") === "number";

function readState(state: unknown): FollowState {
  const [from, rows] = [member(state, "from"), member(state, "rows")];
  return {
    from: Number(from),
    rows: (Array.isArray(rows) ? rows : []).map(([key, seconds]: unknown[]) => [
      String(key),
      Number(seconds),
    ]),
  };
}

/** The rows at the ends of the files that may have been written after the checkpoint, by list. */
async function readEnds({ named, shape, ownerOf }: Rows, saved: Saved) {
  const rows: (readonly FollowedRow[])[] = [];
  const files = earlierFiles(named);
  const written = saved === undefined ? files.slice(0, ofFilesAlone.files) : files;
  const isOld = (file: string, writtenAt: number): boolean => {
    if (saved === undefined || writtenAt >= saved.at - around) return false;
    const size = lookAt(file)?.size ?? 0;
    return size <= (saved.sizes.get(path.resolve(file)) ?? size);
  };
  let isCut = written.length < files.length;
  for (const { file, writtenAt } of written) {
    if (isOld(file, writtenAt)) continue;
    const end = await readLastLines(file, saved === undefined ? ofFilesAlone.bytes : endBytes).catch(() => ({
      lines: [],
      isCut: true,
    }));
    const found = end.lines.flatMap((line) => readLine(shape, line) ?? []);
    rows.push(found);
    // A file without readable rows may be compressed. A list of pools next to the files is readable, but has none.
    isCut ||= end.isCut || (found.length === 0 && !end.lines.some((line) => isObject(parseJson(line))));
  }
  return { rowsOf: groupBy(rows.flat(), ({ value }) => ownerOf(value)), isCut };
}

function readLine(shape: RowShape, line: string): FollowedRow | undefined {
  try {
    const text = withoutPrefix(line);
    const value: unknown = JSON.parse(text);
    const row = isObject(value) ? (member(value, "row") ?? value) : undefined;
    return isObject(row) ? readFollowedRow(shape, text, row) : undefined;
  } catch {
    // A line of something else.
    return undefined;
  }
}
