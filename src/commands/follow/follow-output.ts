import path from "node:path";
import type { Context, Output } from "../../context/context.ts";
import { type Endpoint, onlyGroup } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";
import { createRenderer, formats } from "../../render/formats/formats.ts";
import type { Renderer } from "../../render/renderer.ts";
import { checkHeld } from "../../files/file-lock.ts";
import { holdFile, lockOf, targetOf } from "../../files/out/out-file.ts";
import { changesWithTime, fileOf, fixedFolder } from "../../files/file-pattern.ts";
import { checkOutPattern, openRotatingFile, refuseUnfinished } from "../../files/rotating-file.ts";
import { readsUnicode } from "../../run/output/terminal.ts";
import { repaired } from "../stream/stream-output.ts";
import type { FollowWishes } from "./follow-wishes.ts";
import type { Report } from "../../run/report.ts";
import type { RunOptions } from "../../run/run-options.ts";

/** What is added to a file is written as for a pipe. */
export function followOptions(options: RunOptions, { out }: FollowWishes): RunOptions {
  if (out === undefined && formats[options.format].isClosed)
    throw usageFailure(
      `--output ${options.format}: --follow has no end that ${options.format} could be closed at`,
      "use ndjson",
    );
  if (out !== undefined && options.columns !== undefined)
    throw usageFailure("--columns: chooses columns of a table, and --out has ndjson", "choose by --fields");
  return out === undefined ? options : { ...options, format: "ndjson" };
}

type Closable = Output & { readonly close: () => Promise<void> };

/**
 * Standard output, or the files of `--out`, which grow from run to run and change with time. One run at a time follows
 * into them: two would write every row twice.
 */
export async function openFollowOutput(
  { out }: FollowWishes,
  context: Context,
  report: Report,
): Promise<Closable> {
  if (out === undefined) return { ...context.stdout, close: () => Promise.resolve() };
  checkOutPattern(out, context.clock.now());
  const lockFile = lockOfPattern(out);
  const lock = await holdFile(context, out, lockFile, report.remark);
  try {
    refuseUnfinished(out, context.clock.now());
    const files = await openRotatingFile(out, context.clock, (file, torn) =>
      report.warn(`${file}: ${repaired(torn)}`),
    );
    return {
      ...files,
      write: async (text) => {
        checkHeld(lock, lockFile);
        await files.write(text);
      },
      close: async () => {
        await files.close().finally(lock.release);
      },
    };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

/** Of one file, that of a pull into it too. Of files that change with time, in the folder that is always there. */
function lockOfPattern(pattern: string): string {
  if (!changesWithTime(pattern)) return lockOf(targetOf(fileOf(pattern, 0)));
  const folder = fixedFolder(pattern);
  const name = path.relative(folder, path.resolve(pattern)).replaceAll(path.sep, "_");
  return lockOf(path.join(folder, name));
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
