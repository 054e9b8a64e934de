import path from "node:path";
import { type ByteStore, createByteStore } from "../../../base/byte-store.ts";
import type { Clock, Output } from "../../../base/context/context.ts";
import { checkHeld } from "../../../base/files/file-lock.ts";
import {
  changesWithTime,
  fileOf,
  fillFields,
  fixedFolder,
  flatName,
  type PathNames,
} from "../../../base/files/file-pattern.ts";
import { makeFolder } from "../../../base/files/paths.ts";
import type { TornLine } from "../../../base/files/last-lines.ts";
import { escapeJsonText } from "../../../base/json/json-text.ts";
import { counted } from "../../../base/text/words.ts";
import { assetOf, jsonLine, type StreamEvent } from "../../../client/stream-event.ts";
import type { Moment, Connection } from "../../../client/stream-options.ts";
import type { Subject } from "../../../client/subject.ts";
import { holdFile, lockOf, targetOf } from "../../../rows/out-file.ts";
import { openRotatingFile, type RotatingFile } from "../../../rows/rotating-file.ts";
import { createRowPrefix, type RowPrefix } from "../../render/formats/row-prefix.ts";
import type { Run } from "../../run/with-run.ts";
import type { createPlaces, Place } from "./event-place.ts";
import { type BoardFacts, openBoard } from "./stream-board.ts";
import type { StreamValues } from "./stream-flags.ts";

const LF = 0x0a;
/** The lines of a chunk have at most 64 KiB, and prefixes are part of them. */
const maxKeptBytes = 256 * 1024;
/** Milliseconds to write the last lines, because another program must not delay the end of a stream. */
const lastWrites = 400;

interface OutputFacts extends BoardFacts {
  /** Undefined if all events go to the same file. */
  readonly place: { readonly pattern: string; readonly of: ReturnType<typeof createPlaces> } | undefined;
  /** On stdout, instead of events and the board. */
  readonly alertLines: ReturnType<typeof createPendingLines> | undefined;
  /** Called for each event that is not valid JSON. */
  readonly broken: (connection: Connection, event: StreamEvent) => void;
}

/**
 * Lines go to a pipe or files, and the board to a terminal. With `--out` on a terminal, both outputs are used, because
 * the terminal would otherwise show nothing.
 */
export async function openStreamOutput(
  run: Run,
  { out, envelope }: StreamValues,
  { place, alertLines, broken, ...facts }: OutputFacts,
) {
  const { context, options } = run;
  const { clock, stdout, env } = context;
  const hasBoard =
    alertLines === undefined && stdout.isTerminal && options.format === "table" && env["TERM"] !== "dumb";
  const file = out === undefined ? undefined : await openAppendedFile(run, out);
  const isPiped = file === undefined && !hasBoard && alertLines === undefined;
  const pending = isPiped ? createPendingLines(stdout) : alertLines;
  const output = isPiped ? pending : file;
  const before = options.prefix === undefined ? undefined : createRowPrefix(options.prefix);
  const form = { ...facts, isEnveloped: envelope === true, before, place, broken };
  const writeLines = output && createLines(output, form);
  const board = hasBoard ? await openBoard(run, facts) : undefined;
  return {
    board,
    /** Shows one connection's events in order. Resolves when they are written and the reader keeps up. */
    show: async (connection: Connection, events: readonly StreamEvent[], at: Moment): Promise<void> => {
      await writeLines?.(connection, events, at);
      board?.show(events, at);
    },
    /** The number of lines that the reader has not accepted by the end of the run. */
    unwritten: async (): Promise<number> => (await pending?.unwritten(clock)) ?? 0,
  };
}

interface LineForm extends Pick<OutputFacts, "feed" | "place" | "broken"> {
  readonly isEnveloped: boolean;
  readonly before: RowPrefix | undefined;
}

/** All lines of a chunk are written at once. */
function createLines(
  output: {
    readonly write: (lines: Buffer, ...to: readonly [time?: number, names?: PathNames]) => Promise<void>;
  },
  { feed, isEnveloped, before, place, broken }: LineForm,
) {
  const lineOf = (
    connection: Connection,
    event: StreamEvent,
    { now: received }: Moment,
  ): Buffer | undefined => {
    const line = jsonLine(event);
    if (line === undefined) {
      broken(connection, event);
      return undefined;
    }
    const start = before?.ofText(line) ?? "";
    if (!isEnveloped) return Buffer.from(start + line);
    return Buffer.from(start + enveloped(line, event, { feed, subject: assetOf(event), received }));
  };
  /** Reused after each write, because new buffers would keep the garbage collector busy. */
  let spare: ByteStore | undefined;
  return async (connection: Connection, events: readonly StreamEvent[], at: Moment): Promise<void> => {
    const files = new Map<string, { readonly lines: ByteStore; readonly to: Place | undefined }>();
    const linesFor = (event: StreamEvent): ByteStore => {
      const to = place?.of(event, at.now);
      const file = to === undefined ? "" : fileOf(place?.pattern ?? "", to.time, to.names);
      const found = files.get(file)?.lines;
      if (found !== undefined) return found;
      const lines = spare ?? createByteStore(maxKeptBytes);
      spare = undefined;
      files.set(file, { lines, to });
      return lines;
    };
    for (const event of events) {
      // Received bytes stay unchanged if possible, because the maximum event rate leaves no time to process them.
      if (event.isPlainJson && !isEnveloped) {
        const lines = linesFor(event);
        before?.addOfBytes(event.bytes, event.start, event.end, event.texts, lines, event.firstText);
        lines.addLine(event.bytes, event.start, event.end);
        continue;
      }
      const line = lineOf(connection, event, at);
      if (line === undefined) continue;
      const lines = linesFor(event);
      lines.add(line);
      lines.addByte(LF);
    }
    for (const { lines, to } of files.values()) {
      await output.write(lines.lend(), to?.time, to?.names);
      spare = lines;
    }
  };
}

interface EnvelopeFacts {
  readonly feed: string;
  readonly subject: Subject | undefined;
  /** In milliseconds since the epoch. */
  readonly received: number;
}

export function enveloped(line: string, event: StreamEvent, facts: EnvelopeFacts): string {
  const { feed, subject, received } = facts;
  const known = {
    feed,
    event: event.name,
    ...(event.id !== "" && { id: String(event.id) }),
    ...(event.requestId !== undefined && { request_id: event.requestId }),
    ...(subject !== undefined && { network: subject.network, address: subject.address }),
    received: new Date(received).toISOString(),
  };
  return `${escapeJsonText(JSON.stringify(known)).slice(0, -1)},"data":${line}}`;
}

/** Knows which lines the program that reads the output has not accepted yet. */
export function createPendingLines(output: Pick<Output, "write" | "unaccepted">) {
  // Objects, because two writes may be of the same memory.
  const pending = new Set<{ readonly bytes: Buffer }>();
  let settled: (() => void) | undefined;
  return {
    write: async (bytes: Buffer): Promise<void> => {
      const each = { bytes };
      pending.add(each);
      try {
        await output.write(bytes);
      } finally {
        pending.delete(each);
        if (pending.size === 0) settled?.();
      }
    },
    /** Waits briefly at the end of the run, and returns the number of events without a whole line in the output. */
    unwritten: async (clock: Pick<Clock, "sleep">): Promise<number> => {
      if (pending.size === 0) return 0;
      const waiting = new AbortController();
      settled = (): void => waiting.abort("written");
      await clock.sleep(lastWrites, waiting.signal).catch(() => undefined);
      let left = output.unaccepted?.() ?? Number.POSITIVE_INFINITY;
      let events = 0;
      for (const each of [...pending].toReversed()) {
        const missing = Math.min(left, each.bytes.length);
        left -= missing;
        const cut = each.bytes.subarray(each.bytes.length - missing);
        events += cut.toString("latin1").split("\n").length - 1;
      }
      return events;
    },
  };
}

/**
 * Only one run may append to the files of a pattern, or every row would appear twice. `names` are known for all rows.
 * Reports how a partial line from an earlier run was repaired.
 */
export async function openAppendedFile(
  { context, options, onClose, report: { warn, hint } }: Run,
  pattern: string,
  names: PathNames = {},
) {
  const { clock } = context;
  const lockFile = lockOfPattern(pattern, names);
  makeFolder(path.dirname(lockFile));
  const lock = await holdFile(context, pattern, lockFile, hint);
  onClose(lock.release);
  const repaired = (file: string, { kind, bytes }: TornLine): void =>
    warn(
      kind === "ended"
        ? `${file}: the last line had no line break; one was added`
        : `${file}: the last line was incomplete and was removed (${counted(bytes, "byte")})`,
    );
  // A simulated market has its own time.
  const start = options.sandbox === undefined ? clock.now() : options.now;
  const files = await openRotatingFile(pattern, clock, repaired, options.prefix !== undefined, start);
  onClose(files.close);
  const write: RotatingFile["write"] = async (...to) => {
    checkHeld(lock);
    await files.write(...to);
  };
  return { ...files, write, lockFile };
}

/** A single file uses the same lock as a pull. If the file name changes, the lock is in the directory that does not. */
export function lockOfPattern(fields: string, names: PathNames): string {
  const pattern = fillFields(fields, names);
  const folder = fixedFolder(fields);
  if (!changesWithTime(pattern)) return lockOf(targetOf(fileOf(fields, 0, names)));
  return lockOf(path.join(folder, flatName(folder, pattern)));
}
