import { intervals } from "../api/endpoints/ohlcv.ts";
import { isSameService } from "../api/service-name.ts";
import { usageFailure } from "../base/failure.ts";
import { namesIn } from "../base/files/paths.ts";
import { openingOf } from "../client/candles/candle-slices.ts";
import { intervalSeconds } from "../client/candles/candle-times.ts";
import type { StoredCandles } from "../client/candles/timed-legs.ts";
import { addressKey } from "../client/subject.ts";
import { parseRow } from "../client/rows/rows.ts";
import { readAssets } from "./assets-file.ts";
import type { Dataset } from "./dataset.ts";
import { findHeld } from "./held-files.ts";
import { readRows } from "./lake-file.ts";
import { folderOf, periodNamed } from "./layout.ts";
import path from "node:path";

type Service = Parameters<StoredCandles>[0];

/**
 * The candles of a directory that no run reads again: complete periods, and the settled part of others. Files of another
 * service, and files that are damaged, are left out.
 */
export function storedCandles(root: string, serviceName: (service: Service) => string): StoredCandles {
  if (readAssets(root) === undefined)
    throw usageFailure(
      `--lake "${root}": not a directory of dexdata sync`,
      "name a directory that sync has filled",
    );
  return async function* ofAsset(service, { network, address, kind }, typed, isWanted) {
    const interval = intervals.find((each) => each === typed);
    const length = intervalSeconds(typed);
    const datasetKind = kind === "pool" ? "ohlcv" : "token-ohlcv";
    const dataset: Dataset = {
      kind: datasetKind,
      network,
      address: addressKey(address),
      interval,
      from: 0,
      label: "",
    };
    const names = namesIn(path.join(root, folderOf(dataset)));
    const periods = names.flatMap((name) => periodNamed(dataset, name) ?? []);
    for (const period of periods.toSorted((one, other) => other.from - one.from)) {
      if (!isWanted({ from: period.from, to: period.to - length })) continue;
      const { footer, file } =
        (await findHeld({ root, isFull: false, lock: undefined }, dataset, period)) ?? {};
      if (footer === undefined || file === undefined || footer.state === "lost") continue;
      if (!isSameService(footer.service, serviceName(service))) continue;
      const end = footer.state === "rows" ? period.to : Math.min(footer.settled_to, period.to);
      const block = { from: footer.period.from, to: Math.floor(end / length) * length - length };
      if (!isWanted(block)) continue;
      const rows = await readRows(file).catch(() => undefined);
      if (rows === undefined) continue;
      const candles = rows.map((row) => ({ row, opens: openingOf(parseRow(row)) }));
      yield { ...block, candles: candles.filter(({ opens }) => opens <= block.to) };
    }
  };
}
