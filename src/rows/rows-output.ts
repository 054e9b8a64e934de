import { createHash } from "node:crypto";
import type { Output } from "../base/context/context.ts";
import { countedSink } from "./out-files/row-file.ts";
import type { openRowsFile } from "./rows-file.ts";

export type RowsOutput = Awaited<ReturnType<typeof openRowsFile>>;

const nothing = (): Promise<void> => Promise.resolve();

export function openStdout(stdout: Output, isHashed: boolean): RowsOutput {
  return {
    sink: countedSink(stdout.write, 0, isHashed ? createHash("sha256") : undefined),
    rowsAt: () => undefined,
    split: undefined,
    checkpoint: nothing,
    commit: nothing,
    removeCheckpoint: () => undefined,
    abort: nothing,
    canContinue: () => false,
    files: () => undefined,
  };
}
