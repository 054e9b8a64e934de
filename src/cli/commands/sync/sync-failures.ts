import { Failure } from "../../../base/failure.ts";
import { type Dataset, nameOfDataset } from "../../../lake/dataset.ts";
import { failureJson } from "../../run/failure-text.ts";
import type { Run } from "../../run/with-run.ts";

/**
 * Tells which datasets failed. The first failure waits for the end: if no dataset succeeds, it is the run's own, which
 * would otherwise be printed twice.
 */
export function createFailures({ report, options }: Pick<Run, "report" | "options">) {
  let first: Failure | undefined;
  let isTold = false;
  const say = (failure: Failure): void => {
    if (options.errorFormat === "json") report.print(failureJson(failure).trimEnd());
    else report.fault(failure.message);
  };
  return {
    add: (dataset: Dataset, failure: Failure): void => {
      const named = new Failure(`${nameOfDataset(dataset)}: ${failure.message}`, failure.details);
      if (first === undefined) first = named;
      else say(named);
    },
    print: (): void => {
      if (first !== undefined && !isTold) say(first);
      isTold = true;
    },
    end: (): void => {
      if (first !== undefined) throw first;
    },
  };
}
