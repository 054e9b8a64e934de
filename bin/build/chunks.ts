import type { ChunkingContext, CodeSplittingGroup, Plugin } from "rolldown";
import path from "node:path";
import { minifySync, parseSync, Visitor } from "rolldown/utils";

interface Chunk {
  readonly name: string;
  readonly has: (id: string, graph: ChunkingContext) => boolean;
}

/** The names help readers of dist, and a test uses them to check which modules a command loads. */
const packages = ["undici", "zod", "commander", "cli-table3", "chalk", "ora", "conf"].map((name): Chunk => ({
  name,
  has: (id) => id.split(/[\\/]/u).join("/").includes(`node_modules/${name}/`),
}));

/** The libraries are used only together, and only by this code. */
const parquet: Chunk = {
  name: "parquet",
  has: (id) => /node_modules\/hyparquet|\/src\/rows\/(?:join-)?parquet/u.test(id.split(/[\\/]/u).join("/")),
};

const tab = ["bin/complete-words.ts"];
const program = "src/cli/main.ts";
const request = "src/cli/commands/endpoint/run-endpoint.ts";

/** Loading a file takes a quarter of a millisecond, so modules that most runs load are combined. */
const together: readonly Chunk[] = [
  // Loaded before Node's compile cache is enabled, so it should be small.
  { name: "start", has: (id, graph) => isBelow(id, ["bin/compile-cache.ts"], graph) },
  { name: "base", has: (id, graph) => isBelow(id, ["bin/run-help.ts"], graph) },
  { name: "words", has: (id, graph) => isBelow(id, tab, graph) && isBelow(id, [program, request], graph) },
  { name: "tab", has: (id, graph) => isBelow(id, tab, graph) },
  { name: "asking", has: (id, graph) => isBelow(id, [request], graph) && isConnecting(id, graph) },
  { name: "run", has: (id, graph) => isBelow(id, [request], graph) },
  { name: "table", has: (id, graph) => isBelow(id, ["src/cli/render/table/record-view.ts"], graph) },
  // This code needs the version, which is compiled in. The library loads only the chunks above.
  { name: "command", has: (id, graph) => isBelow(id, [program], graph) },
];

const toGroup = ({ name, has }: Chunk, priority: number): CodeSplittingGroup => ({
  name: (id, graph) => (has(id, graph) ? name : null),
  debugName: name,
  priority,
});

export const chunkGroups: CodeSplittingGroup[] = [
  ...packages.map((each) => toGroup(each, 100)),
  { ...toGroup(parquet, 100), includeDependenciesRecursively: false },
  ...together.map(({ name, has }, index) => ({
    ...toGroup({ name, has: (id, graph) => isOurs(id) && !isEntry(id, graph) && has(id, graph) }, 50 - index),
    // By default, a group would also pull in dependencies that belong to other groups.
    includeDependenciesRecursively: false,
  })),
];

const isOurs = (id: string): boolean => /[\\/](?:src|bin)[\\/]/u.test(id) && !id.includes("node_modules");

/** The program and its static imports get a separate file, and so does every module that is imported on demand. */
const isEntry = (id: string, graph: ChunkingContext): boolean =>
  isBelow(id, ["bin/dexdata.ts"], graph) || graph.getModuleInfo(id)?.dynamicImporters.length !== 0;

/** Whether one of the files imports the module, directly or indirectly. Dynamic imports do not count. */
const isBelow = (id: string, files: readonly string[], graph: ChunkingContext): boolean =>
  files.some((file) => reached(path.resolve(file), graph).has(id));

const isConnecting = (id: string, graph: ChunkingContext): boolean =>
  [...reached(id, graph)].some((each) => packages[0]?.has(each, graph));

const known = new Map<string, ReadonlySet<string>>();

function reached(root: string, graph: ChunkingContext): ReadonlySet<string> {
  const before = known.get(root);
  if (before !== undefined) return before;
  const all = new Set([root]);
  for (const id of all) for (const each of graph.getModuleInfo(id)?.importedIds ?? []) all.add(each);
  known.set(root, all);
  return all;
}

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
