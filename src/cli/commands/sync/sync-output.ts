import type { Meter } from "../../../client/meter.ts";
import { shortAddress } from "../../../client/subject.ts";
import type { Context } from "../../../base/context/context.ts";
import { type Dataset, nameOfDataset } from "../../../lake/dataset.ts";
import { isMonthly } from "../../../lake/layout.ts";
import type { PullState } from "../../render/progress/progress-parts.ts";
import { formatOf, writeRows } from "../../run/output/local-output.ts";
import type { LocalOutputFlags } from "../../run/flags/shared-flags.ts";
import type { LakeEvents, Published } from "../../../lake/lake.ts";

interface Written {
  readonly dataset: Dataset;
  readonly published: Published;
}

/** One line per day or month as soon as it is written. A table has one line per dataset, at the end. */
export function createSyncOutput(context: Context, flags: LocalOutputFlags, datasets: readonly Dataset[]) {
  const format = formatOf(context, flags);
  const written: Written[] = [];
  const [noun = "day", other] = new Set(datasets.map((dataset) => (isMonthly(dataset) ? "month" : "day")));
  let [planned, done, rows] = [0, 0, 0];
  let label: string | undefined;
  const events: Pick<LakeEvents, "planned" | "done" | "read" | "published"> = {
    planned: (periods) => {
      planned += periods;
    },
    done: () => {
      done += 1;
    },
    read: (count) => {
      rows += count;
    },
    published: async (dataset, published) => {
      label = nameOfDataset(dataset);
      if (format === "ndjson") await writeRows(context, flags, [lineOf(published)]);
      else written.push({ dataset, published });
    },
  };
  return {
    events,
    rows: () => rows,
    state: ({ requests, credits }: Meter): PullState => ({
      rows,
      rowsInAll: undefined,
      inputs: {
        answered: Math.min(done, planned),
        of: planned,
        label,
        noun: other === undefined ? noun : "period",
      },
      part: planned === 0 ? undefined : Math.min(1, done / planned),
      requests,
      credits,
    }),
    end: async (): Promise<void> => {
      if (format === "ndjson" || (written.length === 0 && format !== "json")) return;
      const round = written.splice(0);
      const lines = round.map(({ published }) => lineOf(published));
      await writeRows(context, flags, format === "table" ? tableOf(round, context.stdout) : lines);
    },
  };
}

function lineOf({ twins: _twins, footer: _footer, ...published }: Published) {
  return published;
}

/** On a terminal, whole addresses would leave no room for the counts. */
function tableOf(written: readonly Written[], { isTerminal }: Context["stdout"]) {
  return [...new Set(written.map(({ dataset }) => dataset))].map((dataset) => {
    const own = written.filter((each) => each.dataset === dataset).map(({ published }) => published);
    const count = (state: Published["state"]): number => own.filter((each) => each.state === state).length;
    const sum = (name: "rows" | "revised" | "withdrawn"): number =>
      own.reduce((total, each) => total + each[name], 0);
    const { kind, interval, network, address } = dataset;
    return {
      dataset: interval === undefined ? kind : `${kind} ${interval}`,
      asset: `${network}:${isTerminal ? shortAddress(address) : address}`,
      files: new Set(own.map(({ file }) => file)).size,
      complete: count("rows"),
      open: count("open"),
      lost: count("lost"),
      rows: sum("rows"),
      revised: sum("revised"),
      withdrawn: sum("withdrawn"),
    };
  });
}
