import { closeSync, fsyncSync, openSync, readFileSync, renameSync } from "node:fs";
import path from "node:path";
import type { RowShape } from "../../api/endpoint.ts";
import type { Context } from "../../base/context/context.ts";
import { fail } from "../../base/failure.ts";
import { earlierFiles, fixedFolder } from "../../base/files/file-pattern.ts";
import { readLastLines, withoutPrefix } from "../../base/files/last-lines.ts";
import { lookAt } from "../../base/files/paths.ts";
import { stageFile } from "../../base/files/replace-file.ts";
import { isObject, member } from "../../base/json/raw-json.ts";
import type { FollowState } from "./known-rows.ts";
import type { Earlier } from "./look.ts";
import { readTailRow, type TailRow } from "./tail-row.ts";

/** In milliseconds. */
const saveEvery = 5000;
/** A run that is killed leaves at most twice as many rows that are not in the checkpoint, and the time in between. */
const saveAfterRows = 10_000;
/** Bytes at the end of each file that was written around the time of the checkpoint or later. */
const endBytes = 32 * 1024 * 1024;
const around = 60_000;

interface CheckpointOptions {
  readonly context: Pick<Context, "clock" | "random">;
  /** The value of `--out`. */
  readonly out: string;
  /** Whose rows the files contain. */
  readonly service: string;
  readonly shape: RowShape;
  /** The name of the list to which a row belongs; empty if the row does not show it. */
  readonly ownerOf: (row: object) => string;
  /** Saves all written rows to disk. */
  readonly sync: () => Promise<void>;
  readonly failed: (cause: unknown) => void;
}

export type FollowCheckpoint = Awaited<ReturnType<typeof openCheckpoint>>;

/**
 * Where each of many lists continues after a restart: when it was last read, and which rows of that time are written. A
 * quiet list's last rows may be far from the end of the files, so the files alone do not show it. Rows that were written
 * after the checkpoint are at their ends. Throws if the checkpoint belongs to something else.
 */
export async function openCheckpoint(options: CheckpointOptions) {
  const { context, out, service, sync, failed } = options;
  const folder = fixedFolder(out);
  // The directories of a pattern exist for its rows only.
  const file = path.join(
    folder,
    `${path.relative(folder, path.resolve(out)).replaceAll(path.sep, "_")}.follow`,
  );
  const saved = readSaved(file, service);
  const written = saved === undefined ? new Map<string, TailRow[]>() : await readEnds(options, file);
  const states = new Map<string, string>();
  let [isChanged, rowsSince] = [false, 0];
  let last: Promise<void> = Promise.resolve();

  const save = async (): Promise<void> => {
    if (!isChanged) return;
    [isChanged, rowsSince] = [false, 0];
    // The rows of these states are written, so they are on the disk before the checkpoint is.
    const lists = Array.from(states, ([name, state]) => `${JSON.stringify(name)}:${state}`);
    await sync();
    const header = JSON.stringify({ dexdata: "follow", service }).slice(0, -1);
    replaceSynced(context.random, file, `${header},"lists":{\n${lists.join(",\n")}\n}}\n`);
  };
  const saveInTurn = (): Promise<void> => {
    last = last.then(save);
    last.catch(failed);
    return last;
  };
  const release = context.clock.every(saveEvery, () => void saveInTurn());

  return {
    file,
    has: (name: string): boolean => member(saved, name) !== undefined,
    /** Undefined if this list is new. Must be called for every list before the run waits for anything. */
    earlier: (name: string): Earlier | undefined => {
      const state: unknown = member(saved, name);
      if (!isObject(state)) return undefined;
      const { from, rows } = readState(state);
      const known = rows.map(([key, seconds]) => ({ key, at: { seconds, fraction: "" } }));
      const later = [...(written.get(name) ?? []), ...(written.get("") ?? [])];
      const all = [...known, ...later];
      // The next checkpoint may be written before this list is read.
      states.set(name, JSON.stringify({ from, rows: all.map(({ key, at }) => [key, at.seconds]) }));
      return { from: { seconds: from, fraction: "" }, rows: all };
    },
    /** Whether there was a checkpoint, so that lists without a state are new. */
    isContinued: saved !== undefined,
    progressed: (name: string, state: FollowState, rows: number): void => {
      states.set(name, JSON.stringify(state));
      isChanged = true;
      rowsSince += rows;
      if (rowsSince >= saveAfterRows) void saveInTurn();
    },
    /** The list is no longer followed. */
    forget: (name: string): void => {
      isChanged = states.delete(name) || isChanged;
    },
    close: async (): Promise<void> => {
      release();
      await saveInTurn();
    },
  };
}

function readSaved(file: string, service: string): object | undefined {
  if (lookAt(file) === undefined) return undefined;
  let saved: unknown;
  try {
    saved = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    saved = undefined;
  }
  const lists = isObject(saved) ? member(saved, "lists") : undefined;
  if (!isObject(lists) || member(saved, "dexdata") !== "follow")
    throw fail("checkpoint", `${file} is not a checkpoint of --follow`, {
      next: "name another file, or delete it to start over at --from",
    });
  const other = member(saved, "service");
  if (other === service) return lists;
  throw fail("checkpoint", `${file} belongs to the rows of ${String(other)}, not ${service}`, {
    next: "name another file for these rows",
  });
}

function readState(state: object): FollowState {
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
async function readEnds({ out, shape, ownerOf }: CheckpointOptions, checkpoint: string) {
  const since = (lookAt(checkpoint)?.mtimeMs ?? 0) - around;
  const rows = new Map<string, TailRow[]>();
  for (const { file, writtenAt } of earlierFiles(out, "any")) {
    if (writtenAt < since) continue;
    for (const line of (await readLastLines(file, endBytes)).lines) {
      const row = readLine(shape, line);
      if (row === undefined) continue;
      const owner = ownerOf(row.value);
      const others = rows.get(owner);
      if (others === undefined) rows.set(owner, [row]);
      else others.push(row);
    }
  }
  return rows;
}

function readLine(shape: RowShape, line: string): TailRow | undefined {
  try {
    const text = withoutPrefix(line);
    const value: unknown = JSON.parse(text);
    const row = isObject(value) ? (member(value, "row") ?? value) : undefined;
    return isObject(row) ? readTailRow(shape, text, row) : undefined;
  } catch {
    // A line of something else.
    return undefined;
  }
}

/** After a power failure, the file is either the old or the new one. */
function replaceSynced(random: () => number, file: string, content: string): void {
  const staged = stageFile(random, file, content, { mode: 0o666 });
  const descriptor = openSync(staged, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(staged, file);
}
