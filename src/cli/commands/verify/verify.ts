import path from "node:path";
import { type Context, isInterruption } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { usageFailure } from "../../../base/failure.ts";
import { assetsName, readAssets } from "../../../lake/assets-file.ts";
import { lookAt } from "../../../base/files/paths.ts";
import { sizeOfFile } from "../../../base/files/file-chunks.ts";
import { quoted } from "../../../base/text/words.ts";
import { nameWithoutGzip } from "../../../rows/out-file.ts";
import { formatByName } from "../../render/formats/formats.ts";
import { createProgress } from "../../run/progress.ts";
import { readNow } from "../../run/run-options.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { LocalOutputFlags, sharedFlags } from "../../run/flags/shared-flags.ts";
import { writeLine } from "../../run/report.ts";
import { type PullReceipt, readPullReceipt } from "../../../rows/receipt.ts";
import { checkReceipt, createVerification, type Form, type Target } from "../../../rows/verify-file.ts";
import { closingLine, createFindingsWriter } from "./findings-writer.ts";
import type { WantedKind } from "../../../rows/verify-rules.ts";

interface VerifyInput {
  readonly words: readonly string[];
  readonly flags: LocalOutputFlags &
    Pick<Values<typeof sharedFlags>, "quiet" | "progress"> & { readonly kind: WantedKind | undefined };
}

export async function verify({ words, flags }: VerifyInput, outer: Context): Promise<ExitCode> {
  if (words.length === 0)
    throw usageFailure("missing <file|directory…>", "usage: dexdata verify <file|directory…> [flags]");
  const folders = words.filter((word) => lookAt(word)?.isDirectory() === true);
  for (const folder of folders) checkFolder(folder);
  const targets = findTargets(words.filter((word) => !folders.includes(word)));
  const { clock, signal } = outer;
  const started = clock.elapsed();
  const isQuiet = flags.quiet === true;
  const progress = createProgress(outer, flags.progress, { isQuiet });
  const context = { ...outer, ...progress.outputs };
  const writer = createFindingsWriter(context, flags);
  const bytesInAll = targets.reduce((sum, { size }) => sum + (size ?? 0), 0);
  let [rows, bytes] = [0, 0];
  let current: ReturnType<typeof createVerification> | undefined;
  const state = () => ({
    rows: rows + (current?.rows() ?? 0),
    rowsInAll: undefined,
    inputs: undefined,
    part: bytesInAll === 0 ? undefined : (bytes + (current?.bytesRead() ?? 0)) / bytesInAll,
    requests: undefined,
    credits: 0,
  });
  progress.begin(state, (line) => void writeLine(context, line).catch(() => undefined));
  try {
    for (const target of targets) {
      signal.throwIfAborted();
      const report = writer.begin(target.file);
      if (target.size === undefined) {
        const hasFiles = target.receipt?.outputs?.length !== 0;
        if (hasFiles) report("F1", { expected: "the file named in the receipt", found: "no such file" });
        else checkReceipt(target.receipt, report);
        await writer.end(0, undefined, hasFiles ? ["F1"] : ["H1", "H2"]);
        continue;
      }
      current = createVerification({ ...target, kind: flags.kind }, report, signal);
      await current.run(writer.flush);
      await writer.end(current.rows(), current.kind(), current.checked());
      rows += current.rows();
      bytes += current.bytesRead();
      current = undefined;
    }
    let files = targets.length;
    for (const folder of folders) {
      const { verifyLake } = await import("../../../lake/verify-lake.ts");
      const { readStoredList } = await import("../sync/list-datasets.ts");
      const milliseconds = readNow({}, outer);
      const now = Math.floor(milliseconds / 1000);
      const file = path.join(folder, assetsName);
      const listed = readStoredList(readAssets(folder) ?? "", file, milliseconds);
      const read = (count: number): unknown => (rows += count);
      files += await verifyLake(folder, { ...writer, signal, now, listed, read });
    }
    await progress.close();
    const exit = await writer.close();
    if (outer.stderr.isTerminal && !isQuiet)
      await writeLine(context, closingLine(writer.totals(), files, rows, clock.elapsed() - started));
    return exit;
  } catch (cause) {
    // A reader such as head has seen enough, and has seen findings.
    const { reason } = signal;
    if (isInterruption(reason) && reason.cause === "closed-pipe" && writer.totals().finding > 0) return 8;
    throw cause;
  } finally {
    await progress.close();
  }
}

/** Only a directory with a list of assets says what belongs in it. */
function checkFolder(folder: string): void {
  if (readAssets(folder) !== undefined) return;
  const root = rootAbove(folder);
  if (root !== undefined)
    throw usageFailure(
      `"${folder}" is only a part of a directory of dexdata sync`,
      `verify all of it: dexdata verify ${quoted(root)}`,
    );
  throw usageFailure(
    `"${folder}" is a directory without ${assetsName}, so dexdata sync did not create it`,
    `name the files in it: dexdata verify ${quoted(folder)}/*`,
  );
}

/** As few levels up as possible; a relative path remains one unless the root is above the current directory. */
function rootAbove(folder: string): string | undefined {
  const above = path.dirname(path.resolve(folder));
  if (above === path.resolve(folder)) return undefined;
  const shown = path.isAbsolute(folder) ? above : path.relative("", above) || ".";
  return readAssets(shown) === undefined ? rootAbove(shown) : shown;
}

type SizedTarget = Omit<Target, "kind"> & { readonly size: number | undefined };

/** Every file once. A receipt stands for the file that it names, or for the only other file named. */
function findTargets(words: readonly string[]): readonly SizedTarget[] {
  const given = [...new Set(words)].map((file) => {
    if (sizeOfFile(file) === undefined)
      throw usageFailure(
        `"${file}" cannot be read (no such file)`,
        file === "-" ? "write the rows to a file first, with --out" : "check the file name",
      );
    return { file, receipts: readPullReceipt(file) };
  });
  const plain = given.flatMap(({ file, receipts }) => (receipts === undefined ? [file] : []));
  const all = given.flatMap(({ file, receipts = [undefined] }) =>
    receipts.map((receipt) => ({ file, receipt })),
  );
  const [only] = plain.length === 1 && all.length === 2 ? plain : [];
  const targets = new Map<string, SizedTarget>();
  for (const { file, receipt } of all) {
    const named = receipt === undefined ? file : (only ?? fileOfReceipt(file, receipt));
    const key = path.resolve(named);
    if (receipt === undefined && targets.has(key)) continue;
    targets.set(key, { file: named, form: formOf(named, receipt), receipt, size: sizeOfFile(named) });
  }
  return [...targets.values()];
}

/** A relative name is looked up in this directory, and then next to the receipt; each also with or without `.gz`. */
function fileOfReceipt(receiptFile: string, { output }: PullReceipt): string {
  if (output.file === null)
    throw usageFailure(
      `"${receiptFile}": the rows were written to stdout, so the receipt does not name a file`,
      `name the file, too: dexdata verify ${quoted(receiptFile)} <file>`,
    );
  const { file } = output;
  const below = [file, path.basename(file)].map((name) => path.join(path.dirname(receiptFile), name));
  const names = [file, ...below].flatMap((name) => [name, `${name}.gz`, nameWithoutGzip(name)]);
  return names.find((name) => sizeOfFile(name) !== undefined) ?? file;
}

const forms: readonly Form[] = ["ndjson", "json", "csv", "tsv", "parquet"];

/**
 * The receipt knows the format. Otherwise, the name decides, as for `--out`. Undefined for a table, whose rows cannot be
 * checked.
 */
function formOf(file: string, receipt: PullReceipt | undefined): Form | undefined {
  const named = receipt?.output.format ?? formatByName(file) ?? "ndjson";
  // Until a pull is complete, rows for several files are collected in a form of their own, and Parquet as NDJSON.
  if (/^\.rows-\w+\.part$/u.test(path.basename(file))) return undefined;
  const format = named === "parquet" && file.endsWith(".part") ? "ndjson" : named;
  return forms.find((form) => form === format);
}
