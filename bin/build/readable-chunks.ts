import type { Plugin } from "rolldown";
import { minifySync, parseSync, Visitor } from "rolldown/utils";

/** The files of the library, and the one that creates failures. Names in all of our code would take 0.2 MB. */
const named = new Set(["library", "sandbox", "start"]);

/**
 * Halves the size of the package. Packages become a single line. Our code gets a line per statement, because Node prints
 * the line of an uncaught error, and a stack trace names lines.
 */
export const readableChunks: Plugin = {
  name: "readable-chunks",
  renderChunk: (code, { fileName, moduleIds, name }) => {
    const isOurs = !moduleIds.some((id) => /node_modules/u.test(id));
    const { code: short, errors } = minifySync(fileName, code, {
      // Functions keep their names for stack traces.
      mangle: isOurs && named.has(name) ? false : { keepNames: true },
      codegen: { removeWhitespace: true },
    });
    if (errors[0] !== undefined) throw new Error(`${fileName}: ${errors[0].message}`);
    return isOurs ? splitStatements(short) : short;
  },
};

/** The code generator could only indent the lines as well, which takes many more bytes. */
function splitStatements(code: string): string {
  const starts = new Set<number>();
  const addStatements = ({ body }: { readonly body: readonly { readonly start: number }[] }): void => {
    for (const { start } of body) starts.add(start);
  };
  new Visitor({ Program: addStatements, BlockStatement: addStatements }).visit(
    parseSync("chunk.cjs", code, { sourceType: "script" }).program,
  );
  const lines = [0, ...starts].toSorted((a, b) => a - b);
  return lines
    .map((start, index) => code.slice(start, lines[index + 1]).trim())
    .join("\n")
    .trim();
}
