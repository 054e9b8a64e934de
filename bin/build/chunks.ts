import type { CodeSplittingGroup } from "rolldown";
import path from "node:path";

interface Graph {
  readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null;
}

/** The chunk of a package has its name, so that dist and the test of what a command loads are readable. */
const packages = ["undici", "zod", "commander", "cli-table3", "chalk", "ora", "conf"];

/** Entries that must load nothing else: the program, its help, and its start. */
const first = ["bin/dexdata.ts", "bin/run-help.ts", "bin/run-command.ts"];
/** Like the entries below, each starts a separate chunk. A package that few commands need splits the words of a command. */
const alone = ["bin/process-context.ts", "src/program/parse-command-line.ts"];

/**
 * Modules that these entries need, alone or together, share one file: each file costs a quarter of a millisecond, and a
 * request would load fifty of them first. The entries are for the Tab key, all commands, failures and requests.
 */
const shared = [
  "bin/complete-words.ts",
  "src/program/main.ts",
  "src/run/failure-text.ts",
  "src/commands/endpoint/run-endpoint.ts",
];

const known = new Map<string, ReadonlySet<string>>();

/** The module and everything that it imports statically. */
function importsOf(root: string, graph: Graph): ReadonlySet<string> {
  const before = known.get(root);
  if (before !== undefined) return before;
  const all = new Set([root]);
  for (const id of all) for (const each of graph.getModuleInfo(id)?.importedIds ?? []) all.add(each);
  known.set(root, all);
  return all;
}

const packageOf = (id: string): string | undefined =>
  packages.find((name) => id.replaceAll("\\", "/").includes(`node_modules/${name}/`));

function sharedName(id: string, graph: Graph): string | null {
  const isBelow = (file: string): boolean => importsOf(path.resolve(file), graph).has(id);
  if (id.includes("node_modules") || !/[\\/](?:src|bin)[\\/]/u.test(id)) return null;
  if ([...alone, ...shared].some((file) => path.resolve(file) === id) || first.some(isBelow)) return null;
  const users = shared.flatMap((file) => (isBelow(file) ? [path.basename(file, ".ts")] : []));
  if (users.length === 0) return null;
  const isConnecting = [...importsOf(id, graph)].some((each) => packageOf(each) === "undici");
  return `shared-${isConnecting ? "connection" : users.join("-")}`;
}

export const chunkGroups: CodeSplittingGroup[] = [
  { name: (id) => packageOf(id) ?? null, priority: 2 },
  // Without recursion, which would take modules of other groups along.
  { name: sharedName, priority: 1, includeDependenciesRecursively: false },
];
