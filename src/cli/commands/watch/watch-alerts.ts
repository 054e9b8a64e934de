import { type Endpoint, rowShape } from "../../../api/endpoint.ts";
import { member } from "../../../base/json/json-scan.ts";
import { counted } from "../../../base/text/words.ts";
import { createRowAlerts, openAlerts, type WantedAlerts } from "../../run/alerts/open-alerts.ts";
import { alertMark } from "../../render/values/cell.ts";
import type { Subject } from "../../../client/subject.ts";
import type { Run } from "../../run/with-run.ts";
import type { Input } from "../command.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { TableAssets } from "../pull/presentation.ts";
import type { Round } from "./rounds.ts";

const ignore = (): void => undefined;
/** `--watch` has no event log, and its `--limit` does not count alerts. */
const opening = { by: "crossing", limit: undefined, log: ignore, onLimit: ignore } as const;

/** Each row counts as an asset, which gets a new value in each round. */
export async function openWatchAlerts(
  run: Run,
  wanted: WantedAlerts,
  flags: Input<EndpointFlags>["flags"],
  { endpoint, named }: Pick<PullPlan, "endpoint" | "named">,
  find: TableAssets["find"],
) {
  const { clock, stdout } = run.context;
  const alerts = await openAlerts(run, wanted, flags, { ...opening, write: stdout.write });
  const seeRows = createRowAlerts(alerts);
  let readTo = clock.elapsed();
  // A search can find any asset.
  const labelOf = ({ network, address }: Subject): string | undefined => {
    const asset = find(address, network);
    return asset?.name ?? asset?.label;
  };
  const subjects =
    named.length > 0
      ? named.map((each) => ({ ...each, label: labelOf(each) }))
      : [{ network: "*", address: "*", label: endpoint.command }];
  alerts.watch(() => {
    const until = { elapsed: readTo, now: clock.now() - clock.elapsed() + readTo };
    return [{ subjects, until, seen: until, opened: undefined }];
  });
  const isOn = (row: unknown, group: string): boolean => alerts.isOn(assetOf(endpoint, group, row).name);
  let on = 0;
  return {
    exitAfter: alerts.exitAfter,
    written: alerts.written,
    isOn,
    state: (isUnicode: boolean): string => `${alertMark(isUnicode)} alert on: ${counted(on, "row")}`,
    /** Nothing before `to`, on the monotonic clock, can be missing. `at` is the time of the requests, as the rows show it. */
    see: async ({ groups }: Round, at: number, to: number): Promise<void> => {
      readTo = to;
      on = 0;
      for (const { group, rows } of groups) {
        const values = rows.values();
        const known = values.map((value, index) => {
          const { name, ...asset } = assetOf(endpoint, group, value);
          return { asset: name, label: labelOf(asset), at, text: rows.text(index) };
        });
        await seeRows(known, clock.elapsed());
        on += values.filter((value) => isOn(value, group)).length;
      }
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
