import { rowShape } from "../../../api/endpoint.ts";
import { withTokenAmounts } from "../../../api/endpoints/pool-transactions.ts";
import { fieldPaths } from "../../../api/field-paths.ts";
import { idlePollMs } from "../../../client/follow-wake.ts";
import { type Ending, StopReason } from "../../../client/ending.ts";
import {
  checkBlind,
  createRowAlerts,
  openAlerts,
  readWanted,
  type WantedAlerts,
} from "../../run/alerts/open-alerts.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { Run } from "../../run/with-run.ts";
import type { Input } from "../command.ts";
import type { FollowedFlags } from "../flags/endpoint-flags.ts";
import type { Options } from "./followed-lists.ts";

/** Undefined without alerts. The fields that dexdata adds need the decimals of tokens. */
export function readAlerts(
  { typed, flags: { blind } }: Input<FollowedFlags>,
  { plan: { endpoint }, poll = idlePollMs }: Options,
) {
  checkBlind(blind, poll);
  const all = fieldPaths(rowShape(endpoint.lists === "trades" ? withTokenAmounts(endpoint) : endpoint));
  const wanted = readWanted(typed, all);
  if (wanted === undefined) return undefined;
  const tested = new Set(wanted.conditions.flatMap(({ tests }) => tests.map(({ field }) => field)));
  return { ...wanted, isOfAmounts: all.some(({ path, isAdded }) => isAdded && tested.has(path)) };
}

export async function openRowAlerts(
  run: Run,
  wanted: WantedAlerts | undefined,
  flags: Values<FollowedFlags>,
  { ending, ...rest }: Pick<Parameters<typeof openAlerts>[3], "limit" | "log"> & { readonly ending: Ending },
) {
  const onLimit = (): void => ending.end(new StopReason("limit"));
  const opening = { by: "row", onLimit, write: run.context.stdout.write, ...rest } as const;
  const alerts = wanted && (await openAlerts(run, wanted, flags, opening));
  const see = alerts && createRowAlerts(alerts, flags.envelope === true ? ["row"] : []);
  // Alerts on stdout take the place of rows.
  return { alerts, see, onLimit, isSilent: wanted?.command.length === 0 && flags.out === undefined };
}
