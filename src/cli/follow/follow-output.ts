import type { Context, Output } from "../../model/context.ts";
import { type Endpoint, onlyGroup } from "../../model/endpoint.ts";
import { usageFailure } from "../../model/failure.ts";
import { createRenderer, type Renderer } from "../../render/renderer.ts";
import { openRotatingFile } from "../../tail/rotating-file.ts";
import { readsUnicode } from "../output/presentation.ts";
import { repaired } from "../stream/stream-output.ts";
import type { FlagValues } from "../flags/flags.ts";
import type { FollowWishes } from "./follow-flags.ts";
import type { Notices } from "../notices.ts";
import { readRunOptions, type RunOptions } from "../run-options.ts";

/** What is added to a file is written as for a pipe. */
export function followOptions(flags: FlagValues, { out }: FollowWishes, outer: Context): RunOptions {
  const options = readRunOptions(flags, outer);
  if (out === undefined && options.format === "json")
    throw usageFailure("--output json: --follow has no end that json could be closed at", "use ndjson");
  if (out !== undefined && options.columns !== undefined)
    throw usageFailure("--columns: chooses columns of a table, and --out has ndjson", "choose by --fields");
  return out === undefined ? options : { ...options, format: "ndjson" };
}

type Closable = Output & { readonly close: () => Promise<void> };

/** Standard output, or the files of `--out`, which grow from run to run and change with time. */
export async function openFollowOutput(
  { out }: FollowWishes,
  { stdout, clock }: Context,
  { warn }: Notices,
): Promise<Closable> {
  if (out === undefined) return { ...stdout, close: () => Promise.resolve() };
  return await openRotatingFile(out, clock, (file, torn) => warn(`dexdata: ${file}: ${repaired(torn)}`));
}

interface Followed {
  readonly options: RunOptions;
  readonly endpoint: Endpoint;
  readonly output: Output;
}

export async function openFollowRenderer(
  { env }: Pick<Context, "env">,
  { options, endpoint, output }: Followed,
): Promise<Renderer> {
  return await createRenderer({
    output,
    format: options.format,
    endpoint,
    groups: [onlyGroup],
    isRecord: false,
    isContinued: false,
    fields: options.fields,
    hasHeader: options.hasHeader,
    columns: options.columns,
    isWide: options.isWide,
    isColored: options.isColored,
    isUnicode: readsUnicode(env),
    // A row is as old as its time says, whenever the table is looked at.
    hasAges: false,
    now: options.now,
  });
}
