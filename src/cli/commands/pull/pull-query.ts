import type { ListPlan } from "../../../client/list-plan.ts";
import { createHash } from "node:crypto";
import { withRepeated } from "../../../api/args.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { isPaged } from "../../../api/reply.ts";
import { fail } from "../../../base/failure.ts";
import { isSameService, namesIn } from "../../../api/host.ts";
import { formatInstant, fromWire, wireOf } from "../../../base/time/time.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import { type RunOptions, serviceOf } from "../../run/run-options.ts";
import type { CheckpointHeader } from "../../../rows/checkpoint-lines.ts";

type Query = CheckpointHeader["query"];

const labels: Readonly<Record<string, string>> = {
  pageSize: "--page-size",
  limit: "--limit",
  missing: "--missing",
};

/** Returns the flag that sets this part of the query and a function that makes times readable. */
function describePart(
  name: string,
  { params }: Endpoint,
): { readonly label: string; readonly show: (value: string) => string } {
  const wireName = /^parameter: (.*)$/u.exec(name)?.[1];
  const param = params.find((each) => each.name === wireName);
  const flag = param?.flag === undefined ? undefined : `--${param.flag}`;
  // The checkpoint may have been edited, so the value may not be a time.
  const isTime = (value: string): boolean => param?.kind.kind === "time" && /^\d{1,11}$/u.test(value);
  return {
    label: flag ?? wireName ?? labels[name] ?? name,
    show: (value) => (isTime(value) ? formatInstant(fromWire(value)) : value),
  };
}

/** Everything that determines which rows are fetched and how. Two runs can share a file only if all of it matches. */
export function queryOf(plan: PullPlan, options: RunOptions): Query {
  const { endpoint, argSets, list, timed, ...rest } = plan;
  const { pageSize, isStrict, start } = list;
  const isOfPages = isPaged(endpoint.reply) && list.kind !== "once";
  const only = argSets.length === 1 ? argSets[0] : undefined;
  const query: Record<string, string> = {
    command: endpoint.raw === undefined ? endpoint.id : `api ${endpoint.raw.path}`,
    service: serviceOf(options),
    "--output": options.format,
    "--fields": options.fields?.join(",") ?? (options.hasAllFields ? "*" : "all"),
    "--columns": options.columns?.join(",") ?? "all",
  };
  if (options.encoder !== undefined) query["packing"] = options.encoder.name;
  if (options.pattern !== undefined) query["--out"] = options.pattern;
  if (options.prefix !== undefined) query["--prefix"] = options.prefix.join(",");
  for (const [name, value] of only === undefined ? [] : withRepeated(endpoint, only))
    query[`parameter: ${name}`] = value;
  if (only === undefined) query["inputs"] = digest(argSets.map((args) => [...args]));
  if (list.kind === "batch") query["inputs"] = digest(list.subjects);
  if (timed !== undefined) {
    const inputs = timed.inputs.map((input, index) => ({ ...input, lead: timed.lead?.cells[index] }));
    query["inputs"] = digest([inputs, timed.assets, timed.quote]);
  }
  const parts = {
    ...rest,
    pageSize,
    isStrict,
    ...(isOfPages && { start, wanted: rest.limit }),
    ...(rest.days && list.kind !== "candles" && { until: wireOf(rest.days.to) }),
    ...(timed && { lead: timed.lead?.header }),
    ...partsOf(list),
  };
  for (const [name, value] of Object.entries(parts)) query[name] = JSON.stringify(value) ?? "all";
  return query;
}

/** Checkpoints contain these names. */
function partsOf(list: ListPlan): Readonly<Record<string, unknown>> {
  switch (list.kind) {
    case "list":
    case "made":
      return {};
    case "once":
      return { once: list.as };
    case "batch":
      return { fillMissing: list.fillMissing };
    case "candles":
      return { candles: { now: list.now, fill: list.fill, address: list.address } };
    case "pools":
      return { ofPool: { param: list.param, tokens: list.tokens, maxRowsRead: list.maxRowsRead } };
  }
}

/** Does not depend on the order of the parts. */
export function queryDigest(query: Query): string {
  return digest(Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

export function checkSameQuery(file: string, begun: Query, asked: Query, endpoint: Endpoint): void {
  for (const name of new Set([...Object.keys(begun), ...Object.keys(asked)])) {
    if (begun[name] === asked[name]) continue;
    if (name === "service" && isSameService(begun[name] ?? "", asked[name] ?? "")) continue;
    const { label, show } = describePart(name, endpoint);
    const [was, is] = [begun[name], asked[name]].map((value) =>
      value === undefined ? "not set" : show(name === "service" ? namesIn(value) : value),
    );
    // Digests of long input lists would explain nothing.
    const difference = name === "inputs" ? "the inputs are different" : `${label}: ${was} then, ${is} now`;
    throw fail("checkpoint", `cannot resume ${file}: it belongs to a different query (${difference})`, {
      next: "repeat the original command, or start over with --force instead of --resume",
    });
  }
}
