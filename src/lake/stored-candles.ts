import { intervals } from "../api/endpoints/ohlcv.ts";
import { usageFailure } from "../base/failure.ts";
import { lookAt } from "../base/files/paths.ts";
import type { StoredCandles } from "../client/timed-legs.ts";
import { addressKey } from "../client/subject.ts";
import { parseRow } from "../client/rows.ts";
import { placesOf, readAssets } from "./assets-file.ts";
import type { Dataset } from "./dataset.ts";
import { findFiles } from "./files/stored-periods.ts";
import { openPeriods } from "./files/lake-file.ts";
import { openingOf, intervalSeconds } from "../client/candle-windows.ts";

type Service = Parameters<StoredCandles>[0];

/**
 * The candles of a directory that no run reads again: complete periods, and the settled part of others. Files of another
 * service, and files that are damaged, are left out.
 */
export function storedCandles(root: string, serviceName: (service: Service) => string): StoredCandles {
  if (lookAt(root)?.isDirectory() !== true || readAssets(root) === undefined)
    throw usageFailure(
      `--lake "${root}": not a directory of dexdata sync`,
      "name a directory that sync has filled",
    );
  return async function* ofAsset(service, { network, address, kind }, typed, isWanted) {
    const length = intervalSeconds(typed);
    const dataset: Dataset = {
      kind: kind === "pool" ? "ohlcv" : "token-ohlcv",
      network,
      address: addressKey(address),
      interval: intervals.find((each) => each === typed),
      by: "month",
      from: 0,
      label: "",
    };
    const stored = openPeriods();
    try {
      for (const place of placesOf(root, dataset).toReversed()) {
        if (!isWanted({ from: place.from, to: place.to - length })) continue;
        const files = await findFiles(root, dataset, place.name);
        const periods = files.flatMap((found) => found.periods);
        for (const period of periods.toSorted(
          (one, other) => other.footer.period.from - one.footer.period.from,
        )) {
          const { footer } = period;
          if (footer.state === "lost" || footer.service !== serviceName(service)) continue;
          const { from, to } = footer.period;
          const begin = Math.max(from, ...footer.lost.map((lost) => lost.to));
          const end = footer.state === "rows" ? to : Math.min(footer.settled_to, to);
          const block = {
            from: Math.ceil(begin / length) * length,
            to: Math.floor(end / length) * length - length,
          };
          if (!isWanted(block)) continue;
          // Another run may have replaced the file in the meantime, so that other rows are in this place.
          const rows = await stored.rows(period).catch(() => undefined);
          if (rows === undefined) continue;
          const candles = rows.map((row) => ({ row: () => row, opens: openingOf(parseRow(row)) }));
          yield { ...block, candles: candles.filter(({ opens }) => opens <= block.to) };
        }
      }
    } finally {
      stored.close();
    }
  };
}
