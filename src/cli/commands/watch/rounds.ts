import { isMovingWindow } from "../../../api/reply.ts";
import { everyRow, missingIn, warningsIn } from "../../../client/page.ts";
import type { Client } from "../../../client/client.ts";
import { createSeenKeys, reachOf } from "../../../client/seen-keys.ts";
import { momentOf, momentOfElapsed } from "../../../client/stream-options.ts";
import { type TextRow, textRows } from "../../../client/rows.ts";
import { type Endpoint, rowShape, type ApiRequest } from "../../../api/endpoint.ts";
import { Failure, affectsOneInput, usageFailure } from "../../../base/failure.ts";
import { plans, type Tier } from "../../../api/tier.ts";
import { counted } from "../../../base/text/words.ts";
import { estimate } from "../../run/spending/estimate.ts";
import { member } from "../../../base/json/json-scan.ts";
import { startPull, totalsOf } from "../../../rows/pull.ts";
import { createRowSelector } from "../../render/formats/json.ts";
import { createRowAlerts, openAlerts, type WantedAlerts } from "../../run/alerts/open-alerts.ts";
import { alertMark } from "../../render/values/cell.ts";
import type { Input } from "../command.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import { withSuggestion } from "../input/suggestion.ts";
import { createSeries } from "../../run/repeat-limiter.ts";
import type { Run } from "../../run/with-run.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { TableAssets } from "../pull/known-assets.ts";

export type Round = Awaited<ReturnType<typeof fetchRound>>;

interface Reading {
  readonly run: Run;
  readonly client: Client;
  readonly assets: TableAssets;
}

/** Records the rejection of one of several inputs, or throws it if no rows are left. */
export async function fetchRound({ run, client, assets }: Reading, plan: PullPlan) {
  const { context, options } = run;
  const { endpoint, argSets, list } = plan;
  const groups = new Map<string, TextRow[]>();
  const failures: Failure[] = [];
  /** Notes about inputs that the service left out. */
  const notes: string[] = [];
  const keep = async (cause: Failure, request: ApiRequest): Promise<void> => {
    const failure = await withSuggestion(cause, { context, client, request });
    const hasOthers = argSets.length > 1 || list.kind === "batch";
    if (!hasOthers || !affectsOneInput(failure)) throw failure;
    failures.push(failure);
  };
  const seen = createSeenKeys(reachOf(endpoint), false);
  const pullOptions = { ...plan, ...everyRow(seen), wanted: plan.limit, isValidated: options.isValidated };
  const pullInto = startPull(client, pullOptions, totalsOf(undefined));
  await pullInto({
    page: async (page, request) => {
      await assets.learnFor(request, page);
      notes.push(...warningsIn(page));
      const held = groups.get(page.group) ?? [];
      groups.set(page.group, held);
      const rows = assets.inTokens(page.rows);
      held.push(...rows.values().map((value, index) => ({ row: rows.text(index), value })));
      if (plan.missing !== "null")
        notes.push(...missingIn(page).map((subject) => `no price for ${assets.titleOf(subject)}`));
      return "continue";
    },
    refused: keep,
    failure: async (failure, request) => {
      await keep(failure, request);
      return "continue";
    },
    end: () => Promise.resolve(),
    checkpoint: () => Promise.resolve(),
  });
  const [first] = failures;
  /** In response order. */
  const all = [...groups].map(([group, held]) => ({ group, rows: textRows(held) }));
  if (first !== undefined && all.every(({ rows }) => rows.length === 0)) throw first;
  return { argSets, groups: all, notes, failures };
}

export type Changes = ReturnType<typeof compareRounds>;

/** Rows are the same if their identities match. A row has changed if the text of its selected fields has changed. */
export function compareRounds(
  endpoint: Endpoint,
  fields: readonly string[] | undefined,
  earlier: Round | undefined,
  round: Round,
) {
  // In the first round, every row is written and no row is marked.
  if (earlier === undefined) return { rows: round.groups, gone: [], before: (_: string, row: string) => row };
  // Every row of such a list disappears eventually, so this is not reported.
  const isWindow = isMovingWindow(endpoint.reply);
  const select = createRowSelector(fields);
  const known = rowsByKey(endpoint, earlier);
  const found = rowsByKey(endpoint, round);
  const before = new Map<string, string | undefined>();
  for (const [key, { group, row }] of found) before.set(`${group}\n${row}`, known.get(key)?.row);
  const isNews = (group: string, row: string): boolean => {
    const was = before.get(`${group}\n${row}`);
    return was === undefined || select(was) !== select(row);
  };
  return {
    /** New and changed rows, in the round's order. */
    rows: round.groups.map(({ group, rows }) => ({
      group,
      rows: rows.keep(rows.texts().map((row) => isNews(group, row))),
    })),
    /** The identities of rows that have disappeared. */
    gone: isWindow ? [] : [...known].flatMap(([key, { name }]) => (found.has(key) ? [] : name)),
    /** Returns the same row in the previous round, or undefined if the row is new. */
    before: (group: string, row: string) => before.get(`${group}\n${row}`),
  };
}

function rowsByKey(endpoint: Endpoint, { groups }: Round) {
  const rows = new Map<string, { readonly group: string; readonly row: string; readonly name: string }>();
  for (const { group, rows: held } of groups) {
    const { identity } = rowShape(endpoint, group);
    for (const [index, value] of held.values().entries()) {
      const parts = identity.map((field) => member(value, field));
      const key = `${group} ${JSON.stringify(parts)}`;
      // If the same input appears twice, there are two equal rows.
      let place = 0;
      while (rows.has(`${key} ${place}`)) place += 1;
      rows.set(`${key} ${place}`, { group, row: held.text(index), name: parts.map(String).join(" ") });
    }
  }
  return rows;
}

const ignore = (): void => undefined;
/** `--watch` has no event log, and its `--limit` does not count alerts. */
const opening = { by: "crossing", limit: undefined, log: ignore, onLimit: ignore } as const;

/** Each row counts as an asset, which gets a new value in each round. */
export async function openWatchAlerts(
  run: Run,
  wanted: WantedAlerts,
  flags: Input<EndpointFlags>["flags"],
  first: Pick<PullPlan, "endpoint" | "named">,
  find: TableAssets["find"],
) {
  const { clock, stdout } = run.context;
  const { endpoint } = first;
  const alerts = await openAlerts(run, wanted, flags, { ...opening, write: stdout.write });
  const seeRows = createRowAlerts(alerts);
  let readTo = momentOf(clock);
  // A search can find any asset.
  const labelOf = ({ network, address }: PullPlan["named"][number]): string | undefined => {
    const { name, label } = find(address, network);
    return name ?? label;
  };
  const whole = [{ network: "*", address: "*", label: endpoint.command }];
  let subjects: PullPlan["named"] = whole;
  const plan = ({ named }: Pick<PullPlan, "named">): void => {
    subjects = named.length > 0 ? named.map((each) => ({ ...each, label: labelOf(each) })) : whole;
  };
  plan(first);
  alerts.watch(() => [{ subjects, until: readTo, seen: readTo, opened: undefined }]);
  const isOn = (row: unknown, group: string): boolean => alerts.isOn(assetOf(endpoint, group, row).name);
  let on = 0;
  return {
    exitAfter: alerts.exitAfter,
    written: alerts.written,
    isOn,
    /** The list may have changed. */
    plan,
    state: (isUnicode: boolean): string => `${alertMark(isUnicode)} alert on: ${counted(on, "row")}`,
    /** Nothing before `to`, on the monotonic clock, can be missing. `at` is the time of the requests, as the rows show it. */
    see: async ({ groups }: Round, at: number, to: number): Promise<void> => {
      readTo = momentOfElapsed(clock, to);
      const rows = groups.flatMap(({ group, rows: own }) =>
        own.values().map((value, index) => {
          const { name, ...asset } = assetOf(endpoint, group, value);
          return { asset: name, label: labelOf(asset), key: undefined, at, text: own.text(index) };
        }),
      );
      alerts.keepOnly(new Set(rows.map(({ asset }) => asset)), clock.elapsed());
      await seeRows(rows, clock.elapsed());
      on = rows.filter(({ asset }) => alerts.isOn(asset)).length;
    },
  };
}

/** `network:address` of tokens and pools, and what identifies any other row. */
function assetOf(endpoint: Endpoint, group: string, row: unknown) {
  const parts = rowShape(endpoint, group)
    .identity.map((field) => member(row, field) ?? "")
    .map(String);
  const [network = "", ...others] = parts;
  return { name: parts.join(":") || endpoint.command, network, address: others.at(-1) ?? "" };
}

/** Two rounds are in memory at the same time, because they are compared. */
const maxRows = 10_000;
const hour = 3_600_000;

/** Returns the cost per hour. Rejects rounds that do not fit into memory or that exceed the rate limit. */
export function hourlyCost(
  { interval, every }: { readonly interval: number; readonly every: string },
  plan: PullPlan,
  { rpm }: RunOptions,
  tier: Tier,
) {
  const { requests, rows, credits, creditsAtMost } = estimate(plan, undefined);
  if (requests === undefined || credits === undefined || (rows ?? 0) > maxRows)
    throw usageFailure(
      `--watch "${every}": each refresh is limited to ${counted(maxRows, "row")}`,
      "request fewer rows",
    );
  const perMinute = rpm.value ?? plans[tier].requestsPerMinute;
  if (typeof perMinute === "number" && (requests * 60_000) / interval > perMinute) {
    const shortest = Math.ceil((requests * 60) / perMinute);
    throw usageFailure(
      `--watch "${every}": each refresh takes ${counted(requests, "request")}, but the rate limit is ${perMinute} requests/min`,
      `send fewer requests per refresh, or refresh less often: --watch ${shortest}s`,
    );
  }
  const rounds = hour / interval;
  return {
    requests: requests * rounds,
    credits: credits * rounds,
    /** A round may need more requests than usual. */
    isAbout: creditsAtMost !== undefined,
  };
}

/** A program that replaces a list may leave it missing or damaged for a moment. `take` may refuse a list, too. */
export function keepingLast(
  { context: { clock, signal }, report }: Run,
  first: PullPlan,
  read: (now: number) => Promise<PullPlan>,
  take: (plan: PullPlan) => void,
): typeof read {
  const ignored = createSeries(clock);
  let last = first;
  return async (now) => {
    try {
      const plan = await read(now);
      take(plan);
      last = plan;
      ignored.end();
    } catch (cause) {
      if (signal.aborted || !(cause instanceof Failure)) throw cause;
      if (ignored.isNews(cause.message)) report.warn(`new list ignored: ${cause.message}`);
    }
    return last;
  };
}
