import { createHash } from "node:crypto";
import { withRepeated } from "../../model/args.ts";
import { fail } from "../../model/failure.ts";
import type { CheckpointHeader } from "../../pull/checkpoint.ts";
import type { Questions } from "../asking/questions.ts";
import type { RunOptions } from "../run-options.ts";

type Query = CheckpointHeader["query"];

/** Everything that decides which rows come, in which form: two runs may share a file only if all of it is the same. */
export function queryOf(questions: Questions, options: RunOptions): Query {
  const { endpoint, asked, walk, ...rest } = questions;
  const { subjects, ...pages } = walk;
  const only = asked.length === 1 ? asked[0] : undefined;
  const query: Record<string, string> = {
    command: endpoint.rawPath === undefined ? endpoint.id : `api ${endpoint.rawPath}`,
    service: serviceOf(options),
    "--output": options.format,
    "--fields": options.fields?.join(",") ?? "all",
    "--columns": options.columns?.join(",") ?? "all",
  };
  for (const [name, value] of only === undefined ? [] : withRepeated(endpoint, only))
    query[`asked: ${name}`] = value;
  if (only === undefined) query["what is asked for"] = digest(asked.map((args) => [...args]));
  if (subjects !== undefined) query["what is asked for"] = digest(subjects);
  for (const [name, value] of Object.entries({ ...pages, ...rest }))
    query[name] = JSON.stringify(value) ?? "all";
  return query;
}

/** The free and the paid host are one service, so that a pull may go on under another plan. */
function serviceOf({ sandbox, baseUrl, settings }: RunOptions): string {
  if (sandbox !== undefined) return `the sandbox, --seed ${sandbox.seed}`;
  return baseUrl ?? `${settings.base_url.value} ${settings.pro_base_url.value}`;
}

/** The same for the same query, whatever the order of its parts. */
export function queryDigest(query: Query): string {
  return digest(Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

export function checkSameQuery(file: string, begun: Query, asked: Query): void {
  for (const name of new Set([...Object.keys(begun), ...Object.keys(asked)])) {
    if (begun[name] === asked[name]) continue;
    const was = begun[name] ?? "not set";
    throw fail(
      "checkpoint",
      `cannot resume ${file}: it belongs to another query (${name}: ${was}; now ${asked[name] ?? "not set"})`,
      {
        next: "repeat the command as it was, or start over with --force instead of --resume",
      },
    );
  }
}
