import type { Output } from "../../context/context.ts";

/** An output on the terminal of a live line, which makes room before anything is written there. */
export interface YieldingOutput extends Output {
  /** Whether what was written ends with a whole line, below which there is room. */
  readonly isWhole: () => boolean;
  /** Some of it may still be on its way to the terminal. */
  readonly isBusy: () => boolean;
}

export function createYieldingOutput(output: Output, makeRoom: () => Promise<void>): YieldingOutput {
  let underWay = 0;
  let isWhole = true;
  return {
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
    write: async (text) => {
      underWay += 1;
      try {
        if (text.length > 0) isWhole = typeof text === "string" ? text.endsWith("\n") : text.at(-1) === LF;
        await makeRoom();
        await output.write(text);
      } finally {
        underWay -= 1;
      }
    },
    isWhole: () => isWhole,
    isBusy: () => underWay > 0,
  };
}

const LF = 0x0a;
