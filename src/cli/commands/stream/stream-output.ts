import { type ByteStore, createByteStore } from "../../../base/byte-store.ts";
import { dataOf, jsonLine, type StreamEvent } from "../../../client/stream-event.ts";
import type { Clock } from "../../../base/context/context.ts";
import type { FeedKind } from "../../../api/feed.ts";
import type { FeedName } from "../../../api/feeds/all-feeds.ts";
import { fileOf, type PathNames } from "../../../base/files/file-pattern.ts";
import type { TornLine } from "../../../base/files/last-lines.ts";
import { openRotatingFile, type RotatingFile } from "../../../rows/rotating-file.ts";
import type { BoardState } from "../../render/board/board-lines.ts";
import { openDisplay } from "../../render/display.ts";
import { createRowPrefix, type RowPrefix } from "../../render/formats/row-prefix.ts";
import { createPaint } from "../../render/painter.ts";
import { readsUnicode } from "../../render/terminal.ts";
import type { KnownAssets } from "../../run/asset-names.ts";
import type { Report } from "../../run/report.ts";
import type { Run } from "../../run/with-run.ts";
import type { createPlaces, Place } from "./event-place.ts";
import { type EventOwners, Foreign } from "../../../client/event-owner.ts";
import type { Moment } from "../../../client/gap.ts";
import { counted } from "../../../base/text/words.ts";
import { createPendingLines, type PendingLines } from "./pending-lines.ts";
import type { StreamValues } from "./stream-flags.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { createReplacements, enveloped } from "./envelope.ts";
import type { Connection } from "../../../client/stream-options.ts";

const LF = 0x0a;
/** The lines of a chunk have at most 64 KiB, and prefixes are part of them. */
const maxKeptBytes = 256 * 1024;

/** Either a stream of NDJSON lines or the board on a terminal. */
export interface StreamDisplay {
  /** Shows one connection's events in order. Resolves when they are written and the reader keeps up. */
  readonly show: (connection: Connection, events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /** The number of events whose lines were not accepted by the end of the run. */
  readonly unwritten: () => Promise<number>;
  readonly watch: (subjects: readonly Subject[]) => void;
  /** Removes assets that the service does not stream. */
  readonly drop: (subjects: readonly Subject[]) => void;
}

/** Only the board needs to know the assets. */
const plain = {
  unwritten: async (): Promise<number> => await Promise.resolve(0),
  watch: () => undefined,
  drop: () => undefined,
};

/** Called for each event that is not valid JSON. */
type OnBroken = (connection: Connection, event: StreamEvent) => void;

/**
 * Lines go to a pipe or files, and the board to a terminal. With `--out` on a terminal, both outputs are used, because
 * the terminal would otherwise show nothing.
 */
export async function openDisplays(
  run: Run,
  { out, envelope, lines: alerts }: StreamValues & { readonly lines: PendingLines | undefined },
  board: BoardFacts,
  broken: OnBroken,
): Promise<readonly StreamDisplay[]> {
  const { context, options, report, onClose } = run;
  const { clock, stdout, env } = context;
  const hasBoard =
    alerts === undefined && stdout.isTerminal && options.format === "table" && env["TERM"] !== "dumb";
  const displays: StreamDisplay[] = [];
  const before = options.prefix === undefined ? undefined : createRowPrefix(options.prefix);
  const form = { feed: board.feed, owners: board.owners, isEnveloped: envelope === true, before };
  if (out !== undefined) {
    const file = await openAppendedFile(out, clock, report, options.prefix);
    onClose(file.close);
    displays.push(createLines(file, { ...form, place: board.place }, broken));
  } else if (!hasBoard && alerts === undefined) {
    const pending = createPendingLines(stdout);
    const lines = createLines(pending, { ...form, place: undefined }, broken);
    displays.push({ ...lines, unwritten: async () => await pending.unwritten(clock) });
  }
  if (alerts !== undefined)
    displays.push({ ...hidden, unwritten: async () => await alerts.unwritten(clock) });
  if (hasBoard) displays.push(await openBoard(run, board));
  return displays;
}

/** Alerts are on stdout instead. */
const hidden: StreamDisplay = { ...plain, show: async () => await Promise.resolve() };

interface LineForm {
  readonly feed: FeedName;
  readonly owners: EventOwners;
  readonly isEnveloped: boolean;
  readonly before: RowPrefix | undefined;
  readonly place: BoardFacts["place"];
}

/** All lines of a chunk are written at once. */
function createLines(
  output: {
    readonly write: (lines: Buffer, ...to: readonly [time?: number, names?: PathNames]) => Promise<void>;
  },
  { feed, owners, isEnveloped, before, place }: LineForm,
  broken: OnBroken,
): StreamDisplay {
  // A connection remains the same object until its assets change. The map is weak, because a closed one is never reused.
  const replacements = new WeakMap<Connection, ReturnType<typeof createReplacements>>();
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
    const subject = owners.subjectOf(event, connection.subjects);
    const isReplacement = replacements.get(connection) ?? createReplacements();
    replacements.set(connection, isReplacement);
    const facts = { feed, subject, received, isReplacement: isReplacement(event) };
    return Buffer.from(start + enveloped(line, event, facts));
  };
  /** Reused after each write, because new buffers would keep the garbage collector busy. */
  let spare: ByteStore | undefined;
  return {
    ...plain,
    show: async (connection, events, at) => {
      const files = new Map<string, { readonly lines: ByteStore; readonly to: Place | undefined }>();
      const linesFor = (event: StreamEvent): ByteStore => {
        const to = place?.of(event, owners.of(event, connection.subjects), at.now);
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
    },
  };
}

interface BoardFacts {
  readonly feed: FeedName;
  readonly by: FeedKind["by"];
  readonly owners: EventOwners;
  /** Undefined if all events go to the same file. */
  readonly place: { readonly pattern: string; readonly of: ReturnType<typeof createPlaces> } | undefined;
  readonly subjects: readonly Subject[];
  readonly known: KnownAssets;
  /** Called when the board opens. */
  readonly begun: () => void;
  readonly isSimulated: boolean;
  readonly state: () => BoardState;
  readonly isOn: ((asset: string) => boolean) | undefined;
}

/** Messages appear on the board while it is open, and again on stderr after it closes. */
async function openBoard(
  { context, options, report, stderr, onClose }: Run,
  { feed, by, owners, subjects, known, begun, isSimulated, state, isOn }: BoardFacts,
): Promise<StreamDisplay> {
  const { clock, env } = context;
  // Earlier messages should appear above the board.
  await report.settled();
  let names = subjects.map(nameOf);
  const { createBoard } = await import("../../render/board/board.ts");
  const board = createBoard({
    feed,
    by,
    assets: names,
    isSimulated,
    isUnicode: readsUnicode(env),
    paint: await createPaint(options.isColored),
    start: clock.elapsed(),
    isOn,
    findAsset: (address, network = "") => known.find(network, address),
  });
  const display = openDisplay(context, {
    frame: (window, elapsed) => board.frame(window, state(), elapsed),
    lastFrame: (window, elapsed) => board.frame(window, undefined, elapsed),
    pressed: board.key,
  });
  const say = (text: string): void => {
    board.say(text.trim(), clock.elapsed());
    display.changed();
  };
  const release = stderr.isTerminal ? stderr.hold(say) : undefined;
  onClose(async () => {
    await display.close();
    await release?.();
  });
  begun();
  const watch = (wanted: readonly string[]): void => {
    names = [...wanted];
    board.watch(names, clock.elapsed());
    display.changed();
  };
  return {
    ...plain,
    show: async (connection, events, at) => {
      const named = events.flatMap((event) => {
        const owner = owners.of(event, connection.subjects);
        if (owner instanceof Foreign) return [];
        return [{ data: dataOf(event), asset: owner === undefined ? undefined : nameOf(owner) }];
      });
      board.events(named, at.elapsed);
      display.changed();
      await Promise.resolve();
    },
    watch: (wanted) => watch(wanted.map(nameOf)),
    drop: (unwanted) => {
      const dropped = new Set(unwanted.map(nameOf));
      watch(names.filter((name) => !dropped.has(name)));
    },
  };
}

/** Reports how a partial line from an earlier run was repaired. */
export async function openAppendedFile(
  pattern: string,
  clock: Clock,
  { warn }: Pick<Report, "warn">,
  prefix: readonly string[] | undefined,
): Promise<RotatingFile> {
  const repaired = (file: string, { kind, bytes }: TornLine): void =>
    warn(
      kind === "ended"
        ? `${file}: the last line had no line break; one was added`
        : `${file}: the last line was incomplete and was removed (${counted(bytes, "byte")})`,
    );
  return await openRotatingFile(pattern, clock, repaired, prefix !== undefined);
}
