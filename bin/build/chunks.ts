import type { CodeSplittingGroup } from "rolldown";
import path from "node:path";

interface Graph {
  readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null;
}

interface Chunk {
  readonly name: string;
  readonly has: (id: string, graph: Graph) => boolean;
}

/** Named after what they hold, so that a glance at dist, and the test of what a command loads, can tell. */
const packages = ["undici", "zod", "commander", "cli-table3", "chalk", "ora", "conf"].map((name): Chunk => ({
  name,
  has: (id) => id.split(/[\\/]/u).join("/").includes(`node_modules/${name}/`),
}));

/** What is there in a moment, and what every command begins with: they must load nothing else. */
const first = ["bin/dexdata.ts", "bin/run-help.ts", "bin/run-command.ts"];
const tab = ["bin/complete-words.ts"];
/** Commands that ask nobody, what finds them, and what says why a run failed. */
const askingNobody = [
  "src/commands/config/config.ts",
  "src/commands/explain/explain.ts",
  "src/run/failure-text.ts",
];
/** They begin chunks of their own. The words of a command are split by a package that few others need. */
const alone = [
  "bin/process-context.ts",
  "src/program/main.ts",
  "src/program/parse-command-line.ts",
  "src/commands/endpoint/run-endpoint.ts",
];

/**
 * What most runs load one after the other is one file: each file costs a quarter of a millisecond, and a command that
 * asks would load fifty before its request can leave.
 */
const locks = [
  "src/files/regular-file.ts",
  "src/files/file-lock.ts",
  "src/files/lock-token.ts",
  "src/files/replace-file.ts",
  "src/files/update-json-file.ts",
].map((file) => path.resolve(file));

const together: readonly Chunk[] = [
  {
    name: "words",
    has: (id, graph) => isBelow(id, ["src/program/main.ts"], graph) && isBelow(id, tab, graph),
  },
  { name: "command", has: (id, graph) => isBelow(id, ["src/program/main.ts"], graph) },
  {
    name: "run",
    has: (id, graph) =>
      isBelow(id, ["src/commands/endpoint/run-endpoint.ts"], graph) &&
      !isBelow(id, [...tab, ...askingNobody], graph) &&
      !isConnecting(id, graph),
  },
  {
    name: "asking",
    has: (id, graph) =>
      isBelow(id, ["src/commands/endpoint/run-endpoint.ts"], graph) && isConnecting(id, graph),
  },
  // What all parts that replace shared files need.
  { name: "locks", has: (id) => locks.includes(id) },
];

const toGroup = ({ name, has }: Chunk, priority: number): CodeSplittingGroup => ({
  name: (id, graph) => (has(id, graph) ? name : null),
  debugName: name,
  priority,
});

export const chunkGroups: CodeSplittingGroup[] = [
  ...packages.map((each) => toGroup(each, 100)),
  ...together.map(({ name, has }, index) => ({
    ...toGroup(
      { name, has: (id, graph) => isOurs(id) && !isBelow(id, first, graph) && has(id, graph) },
      50 - index,
    ),
    // Or what is left to others would come along.
    includeDependenciesRecursively: false,
  })),
];

const isOurs = (id: string): boolean =>
  /[\\/](?:src|bin)[\\/]/u.test(id) &&
  !id.includes("node_modules") &&
  !alone.some((file) => path.resolve(file) === id);

/** Whether one of these files, or what they import, imports it; but for what is imported when it is needed. */
const isBelow = (id: string, files: readonly string[], graph: Graph): boolean =>
  files.some((file) => reached(path.resolve(file), graph).has(id));

const isConnecting = (id: string, graph: Graph): boolean =>
  [...reached(id, graph)].some((each) => packages[0]?.has(each, graph));

const known = new Map<string, ReadonlySet<string>>();

function reached(root: string, graph: Graph): ReadonlySet<string> {
  const before = known.get(root);
  if (before !== undefined) return before;
  const all = new Set([root]);
  for (const id of all) for (const each of graph.getModuleInfo(id)?.importedIds ?? []) all.add(each);
  known.set(root, all);
  return all;
}
