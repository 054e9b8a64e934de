import type { Plugin, RenderedChunk } from "rolldown";
import { minifySync, parseSync, Visitor } from "rolldown/utils";

/**
 * Halves the size of the package. Packages become a single line. Our code gets a line per statement, and where the
 * library can load it, it keeps its names: Node prints the line of an uncaught error, and stack traces lead to others.
 */
export const readableChunks: Plugin = {
  name: "readable-chunks",
  renderChunk: (code, { fileName, moduleIds }, _, { chunks }) => {
    const isOurs = !moduleIds.some((id) => /node_modules/u.test(id));
    const hasNames = isOurs && loadedBy(["library", "sandbox"], chunks).has(fileName);
    const { code: short, errors } = minifySync(fileName, code, {
      // Functions keep their names for stack traces.
      mangle: hasNames ? false : { keepNames: true },
      codegen: { removeWhitespace: true },
    });
    if (errors[0] !== undefined) throw new Error(`${fileName}: ${errors[0].message}`);
    return isOurs ? splitStatements(short) : short;
  },
};

/** The entries, and the chunks that they import, directly or indirectly. */
function loadedBy(entries: readonly string[], chunks: Readonly<Record<string, RenderedChunk>>): Set<string> {
  const isWanted = ({ isEntry, name }: RenderedChunk): boolean => isEntry && entries.includes(name);
  const all = new Set(
    Object.values(chunks)
      .filter(isWanted)
      .map(({ fileName }) => fileName),
  );
  for (const file of all) {
    for (const each of chunks[file]?.imports ?? []) all.add(each);
  }
  return all;
}

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
