import type { Output } from "../../context/context.ts";

/** An output that can be held back for a while, such as stderr while a picture fills its terminal. */
export interface HeldOutput extends Output {
  /** From now on texts are told instead of written. Writes what is kept of them when the returned function is called. */
  readonly hold: (tell: (text: string) => void) => () => Promise<void>;
}

/** Of a tail of days nobody reads the first thousand lines. */
const mostKept = 100;

export function createHeldOutput(output: Output): HeldOutput {
  let tell: ((text: string) => void) | undefined;
  let kept: string[] = [];
  return {
    get isTerminal() {
      return output.isTerminal;
    },
    get columns() {
      return output.columns;
    },
    get rows() {
      return output.rows;
    },
    write: async (text) => {
      if (tell === undefined) return await output.write(text);
      const line = typeof text === "string" ? text : Buffer.from(text).toString("utf8");
      kept = [...kept, line].slice(-mostKept);
      tell(line);
    },
    hold: (listener) => {
      tell = listener;
      return async () => {
        tell = undefined;
        const texts = kept.join("");
        kept = [];
        if (texts !== "") await output.write(texts);
      };
    },
  };
}
