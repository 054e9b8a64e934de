import type { ExitCode } from "../../../base/exit-codes.ts";
import { explainEarlyEnd } from "./continuation.ts";
import { printRows } from "./print-rows.ts";
import type { Pull } from "./pull.ts";

/** However the pull ends, the file and the receipt reflect it. */
export async function printAndClose(run: Pull): Promise<ExitCode> {
  const started = run.context.clock.now();
  const receive = async (exit: number, failure?: unknown): Promise<void> => {
    if (run.to.receipt === undefined) return;
    const { writeReceipt } = await import("./receipt.ts");
    writeReceipt(run, { started, exit, failure });
  };
  let exit: ExitCode;
  try {
    exit = await printRows(run).catch(async (cause: unknown) => {
      await run.destination.abort(run.client.meter);
      throw cause;
    });
    await run.destination.commit();
    for (const line of run.parquet?.notes() ?? []) run.report.info(line);
  } catch (cause) {
    const failure = explainEarlyEnd(cause, run);
    // The pull's failure is more important than a failure to write the receipt.
    await receive(1, failure).catch((problem: unknown) => {
      run.report.warn(problem instanceof Error ? problem.message : String(problem));
    });
    throw failure;
  }
  await receive(exit);
  run.destination.removeCheckpoint();
  await tellOutput(run, exit);
  return exit;
}

async function tellOutput(run: Pull, exit: ExitCode): Promise<void> {
  const { context, options, report, flags } = run;
  const { out } = flags;
  if (out === undefined || !(context.stderr.isTerminal || options.hasStats)) return;
  const { outSummary } = await import("./out-summary.ts");
  const print = options.hasStats ? report.print : report.hint;
  print(outSummary(run, out, exit));
}
