import { showSeconds } from "../../../base/time/time.ts";
import type { Output } from "../../../base/context/context.ts";
import { usageFailure } from "../../../base/failure.ts";
import { openDisplay, type Window, createScroll, keysLine, restLine } from "../../render/display.ts";
import { createRenderer } from "../../render/formats/formats.ts";
import { collectOutput } from "../../render/held-output.ts";
import { createPaint } from "../../render/terminal.ts";
import type { Presentation } from "../../render/renderer.ts";
import { visibleText } from "../../../base/text/unsafe-text.ts";
import { cutPainted, cutText, ellipsis, joinFitting } from "../../render/values/width.ts";
import { createSeries } from "../../run/repeat-limiter.ts";
import type { Run } from "../../run/with-run.ts";
import { formatSeconds } from "../../../api/duration.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import { presentationOf } from "../pull/pull.ts";
import type { Changes, Round } from "./rounds.ts";
import { someOf } from "../../../base/text/words.ts";

interface WatchView {
  /** `at` is the time of the requests, in milliseconds since the epoch. */
  readonly show: (round: Round, changes: Changes, at: number) => Promise<void>;
  /** The reason may be temporary. */
  readonly failed: (reason: string) => void;
  /** `until` is the monotonic time at which the next round starts. */
  readonly waiting: (until: number) => void;
}

interface ViewFacts extends Pick<Presentation, "findAsset" | "isOn"> {
  readonly title: string;
  readonly facts: () => readonly string[];
  /** Alerts are on stdout instead. */
  readonly isSilent: boolean;
}

export async function openView(
  run: Run,
  plan: PullPlan,
  { title, facts, isSilent, ...marks }: ViewFacts,
): Promise<WatchView> {
  const { context, options } = run;
  const { stdout, env, clock } = context;
  const presentation = { ...presentationOf(context, options, plan), isContinued: false, ...marks };
  if (!isSilent && stdout.isTerminal && options.format === "table" && env["TERM"] !== "dumb")
    return await openWatchScreen(run, presentation, title, facts);
  if (options.picture === "chart")
    throw usageFailure("--chart and --watch can be used together only on a terminal", "remove one of them");
  const output = isSilent ? nowhere : stdout;
  return await openWatchLines(run, { ...presentation, output, now: clock.now() });
}

const nowhere: Output = { isTerminal: false, columns: undefined, write: () => Promise.resolve() };

/** Writes all rows from the first round, and then only new and changed rows. */
async function openWatchLines({ context, report }: Run, presentation: Presentation): Promise<WatchView> {
  const renderer = await createRenderer({ ...presentation, hasAges: false });
  const series = createSeries(context.clock);
  return {
    show: async (_, { rows, gone }, at) => {
      series.end();
      for (const group of rows) await renderer.page(group);
      await renderer.release?.();
      if (gone.length > 0) report.info(`${showSeconds(at / 1000)}: ${removedRowsLine(gone)}`);
    },
    failed: (reason) => {
      if (series.isNews(reason)) report.warn(`${reason}; retrying at the next refresh`);
    },
    waiting: () => undefined,
  };
}

const removedRowsLine = (gone: readonly string[]): string => `no longer listed: ${someOf(gone, 3)}`;

type ScreenPresentation = Omit<Presentation, "output" | "now" | "before">;

interface Drawn {
  readonly round: Round;
  readonly changes: Changes;
  readonly at: number;
  /** The terminal width for which the lines were drawn. */
  readonly columns: number;
  readonly lines: readonly string[];
}

const maxSaid = 3;

/**
 * Replaces the previous round on the screen and marks the changes. `facts`, such as `3 credits` and `120/hour`, are
 * shown next to the time and the countdown.
 */
async function openWatchScreen(
  { context, report, onClose }: Run,
  presentation: ScreenPresentation,
  title: string,
  facts: () => readonly string[],
): Promise<WatchView> {
  const { clock, stdout } = context;
  // Earlier messages should appear above the screen.
  await report.settled();
  const { isUnicode } = presentation;
  const paint = await createPaint(presentation.isColored);
  const mark = ellipsis(isUnicode);
  const scroll = createScroll();
  let drawn: Drawn | undefined;
  let next: number | undefined;
  let said: readonly string[] = [];

  const draw = async (shown: Omit<Drawn, "columns" | "lines">, columns: number): Promise<void> => {
    const lines = await linesOf(presentation, shown, columns, stdout.rows);
    // A later round may have been drawn in the meantime.
    if (drawn === undefined || drawn.at <= shown.at) drawn = { ...shown, columns, lines };
    display.changed();
  };

  const head = (columns: number, elapsed: number | undefined, hasKeys = false): readonly string[] => {
    const state = drawn === undefined ? [] : [showSeconds(drawn.at / 1000)];
    const wait = next === undefined ? "refreshing" : `next in ${formatSeconds(next - (elapsed ?? next))}`;
    const parts = [
      ...state,
      ...(elapsed === undefined ? [] : [wait]),
      ...facts(),
      ...(hasKeys ? ["? for keys"] : []),
    ];
    return [
      paint(cutText(visibleText(title), columns, mark), "heading"),
      paint(joinFitting(parts, isUnicode, columns), "faint"),
      "",
    ];
  };

  const frame = ({ columns, rows, hasKeys = false }: Window, elapsed: number): readonly string[] => {
    // The next frame will have the new width.
    if (drawn !== undefined && drawn.columns !== columns) draw(drawn, columns).catch(() => undefined);
    const top = head(columns, elapsed, hasKeys);
    const help = scroll.isHelpShown() ? [keysLine(isUnicode, [])] : [];
    const bottom = [...said, ...help].map((line) =>
      paint(cutText(visibleText(line), columns, mark), "faint"),
    );
    const body = visibleLines(drawn?.lines ?? [], rows - top.length - bottom.length, scroll, isUnicode);
    // The terminal would show the last character of a long value, such as an address, right after a part of it.
    const shown = body.map((line) => cutPainted(line, columns, mark));
    return [...top, ...shown, ...bottom].slice(0, rows);
  };

  const display = openDisplay(context, {
    frame,
    lastFrame: ({ columns }) => (drawn === undefined ? [] : [...head(columns, undefined), ...drawn.lines]),
    pressed: scroll.key,
    said: (message) => {
      said = [...said, message].slice(-maxSaid);
    },
  });
  onClose(display.close);

  return {
    show: async (round, changes, at) => {
      said = changes.gone.length > 0 ? [removedRowsLine(changes.gone)] : [];
      await draw({ round, changes, at }, stdout.columns || 80);
    },
    failed: (reason) =>
      display.say(`${showSeconds(clock.now() / 1000)}: ${reason}; retrying at the next refresh`),
    waiting: (until) => {
      next = until;
      display.changed();
    },
  };
}

async function linesOf(
  presentation: ScreenPresentation,
  { round, changes, at }: Pick<Drawn, "round" | "changes" | "at">,
  columns: number,
  rows: number | undefined,
): Promise<readonly string[]> {
  const { output, take } = collectOutput({ isTerminal: true, columns, rows });
  const renderer = await createRenderer({
    ...presentation,
    ...(presentation.chart !== undefined && { chart: round.argSets[0] }),
    output,
    now: at,
    before: changes.before,
  });
  for (const group of round.groups) await renderer.page(group);
  await renderer.end();
  const text = take().toString();
  return text === "" ? ["no results"] : text.replace(/\n$/u, "").split("\n");
}

/** The heading of a table stays in view. */
function visibleLines(
  lines: readonly string[],
  room: number,
  scroll: ReturnType<typeof createScroll>,
  isUnicode: boolean,
): readonly string[] {
  if (lines.length <= room) return lines;
  const [heading = "", ...others] = lines;
  const visible = Math.max(0, room - 2);
  const first = scroll.first(others.length, visible);
  const rest = restLine(first, visible, others.length, isUnicode);
  return [heading, ...others.slice(first, first + visible), rest].slice(0, Math.max(0, room));
}
