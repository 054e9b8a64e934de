import { isDocument } from "../../../client/list-plan.ts";
import { timeFieldOf } from "../../../client/page.ts";
import { type Endpoint, rowShape, type Args } from "../../../api/endpoint.ts";
import { invalidInput } from "../../../base/failure.ts";
import {
  changesWithTime,
  checkFields,
  fieldsIn,
  fileOf,
  fillFields,
  type PathNames,
  readTime,
} from "../../../base/files/file-pattern.ts";
import { member } from "../../../base/json/json-scan.ts";
import type { Output } from "../../../base/context/context.ts";
import { collectOutput } from "../../render/held-output.ts";
import type { RenderedPage, Renderer } from "../../render/renderer.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { Pull } from "./pull.ts";

/** The parameter and the field of the row that have the value of a path's field. The parameter has priority. */
const sources: Readonly<Record<string, { readonly param?: string; readonly field?: string }>> = {
  network: { param: "network", field: "chain" },
  pool: { param: "pool_address", field: "pool_id" },
  token: { param: "token_address" },
  dex: { field: "dex_id" },
  candle: { param: "interval" },
};

/** Rows of a list with a time range have their own time. In other lists, it is the time when a pool was created. */
function timeOfRows(endpoint: Endpoint, groups: readonly string[]): string | undefined {
  const [group] = groups;
  const isRange = endpoint.params.some(({ flag }) => flag === "from");
  return isRange && group !== undefined ? timeFieldOf(rowShape(endpoint, group)) : undefined;
}

/** Rejects a path with fields that the rows do not have. Returns the files that can be known without the rows. */
export function checkSplit(
  pattern: string,
  { endpoint, argSets, groups, list }: PullPlan,
): readonly string[] {
  if (groups.length !== 1 || isDocument(list) || endpoint.raw !== undefined)
    throw invalidInput(
      `--out "${pattern}"`,
      "the output is one document, which cannot be divided into files",
      "name one file, without % or { }",
    );
  const shape = rowShape(endpoint, groups[0]);
  const isKnown = ({ param, field }: (typeof sources)[string] = {}): boolean =>
    (param !== undefined && list.kind !== "batch" && argSets.every((args) => args.has(param))) ||
    (field !== undefined && { ...shape.record, ...shape.added?.record }[field] !== undefined);
  const names = Object.keys(sources).filter((name) => isKnown(sources[name]));
  const hasTimes = timeOfRows(endpoint, groups) !== undefined;
  checkFields(pattern, names, hasTimes);
  // The request of a batch has several assets.
  const typed = list.kind !== "batch" ? argSets.map((args) => namesOfRow(args, undefined)) : [{}];
  const isFixed = typed.every((found) => fieldsIn(pattern).every((field) => found[field] !== undefined));
  if (!isFixed || changesWithTime(fillFields(pattern, {}))) return [];
  return typed.map((found) => fileOf(pattern, 0, found));
}

function namesOfRow(args: Args, row: unknown): PathNames {
  const entries = Object.entries(sources).map(([name, { param = "", field = "" }]) => {
    const value = args.get(param) ?? (row === undefined ? undefined : member(row, field));
    return [name, typeof value === "string" ? value : undefined] as const;
  });
  return Object.fromEntries(entries);
}

/** Each file has a renderer, which writes its header and its end. */
export function createSplitRenderer(
  { plan: { endpoint, groups, list }, options, report }: Pull,
  { pattern, begun, write }: NonNullable<Pull["destination"]["split"]>,
  create: (output: Output, isContinued: boolean) => Promise<Renderer>,
): Renderer {
  const timeField = timeOfRows(endpoint, groups);
  const isOfRow = fieldsIn(pattern).some((name) => sources[name]?.field !== undefined);
  const files = new Map<string, { readonly renderer: Renderer; readonly take: () => Buffer }>();
  const isBatch = list.kind === "batch";
  let isUntimed = false;
  const fileFor = (args: Args, row: object): string => {
    const time = timeField === undefined ? undefined : readTime(member(row, timeField));
    if (timeField !== undefined && time === undefined && !isUntimed) {
      isUntimed = true;
      report.warn(
        "a row has no readable time; such rows are written to the file of the time when the pull started",
      );
    }
    // The time of the pull is the same in each of its runs.
    return fileOf(pattern, time ?? options.now, namesOfRow(isBatch ? new Map() : args, row));
  };
  const open = async (file: string) => {
    const opened = files.get(file);
    if (opened !== undefined) return opened;
    const { output, take } = collectOutput({ isTerminal: false, columns: undefined });
    const created = { renderer: await create(output, begun.has(file)), take };
    files.set(file, created);
    return created;
  };
  const pass = async (file: string, rows: number, text: Buffer): Promise<void> => {
    if (text.length > 0) await write(file, rows, text);
  };
  return {
    page: async (page, args = new Map()) => {
      for (const [file, part] of partsOf(page, isOfRow, (row) => fileFor(args, row))) {
        const { renderer, take } = await open(file);
        await renderer.page(part, args);
        await pass(file, part.rows.length, take());
      }
    },
    end: async () => {
      for (const file of new Set([...begun, ...files.keys()])) {
        const { renderer, take } = await open(file);
        await renderer.end();
        await pass(file, 0, take());
      }
    },
  };
}

/** The rows of each file, in their order. Most pages belong to one file and remain unchanged. */
function partsOf(
  page: RenderedPage,
  isOfRow: boolean,
  fileFor: (row: object) => string,
): ReadonlyMap<string, RenderedPage> {
  const rows = isOfRow ? page.rows.values() : page.rows.marks();
  const names = rows.map(fileFor);
  const files = [...new Set(names)];
  if (files.length < 2) return new Map(files.map((file) => [file, page]));
  return new Map(
    files.map((file) => {
      const kept = names.map((name) => name === file);
      return [
        file,
        { ...page, rows: page.rows.keep(kept), lead: page.lead?.filter((_, index) => kept[index]) },
      ];
    }),
  );
}
