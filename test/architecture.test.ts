import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/**
 * The directories of the program, from the top layer down. A file imports from its own directory or from a
 * lower line.
 */
const lines = [
  ["bin"],
  ["program"],
  ["commands"],
  ["run", "library"],
  ["lake"],
  ["pull", "tail", "render", "sandbox", "verify"],
  ["parquet"],
  ["client", "settings"],
  ["files"],
  ["contract", "context"],
  ["json"],
  ["text", "time"],
];

/** The only directories whose code uses the file system. */
const withFiles = new Set(["bin", "files", "settings"]);

interface Import {
  readonly from: string;
  readonly to: string;
}

const sources = ["bin", "src"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join(folder, name.split(path.sep).join("/")))
    .filter((name) => /\.(?:ts|mjs)$/u.test(name)),
);

/** Static, type-only and dynamic imports, `export … from`, and `import("…")` as a type. */
const specifiers = /(?:\bfrom|\bimport)\s*\(?\s*"(?<specifier>[^"]+)"/gu;

const imports = sources.flatMap((from) =>
  [...readFileSync(from, "utf8").matchAll(specifiers)].map(({ groups }): Import => {
    const specifier = groups?.["specifier"] ?? "";
    return {
      from,
      to: specifier.startsWith(".") ? path.posix.join(path.posix.dirname(from), specifier) : specifier,
    };
  }),
);

const ours = imports.filter(({ to }) => sources.includes(to));
const shown = ({ from, to }: Import): string => `${from} → ${to}`;

function directoryOf(file: string): string {
  const [top = "", directory = ""] = file.split("/");
  return top === "bin" ? top : directory;
}

function lineOf(file: string): number {
  return lines.findIndex((directories) => directories.includes(directoryOf(file)));
}

test("every file is in a directory that has a line", () => {
  expect(sources.filter((file) => lineOf(file) < 0)).toEqual([]);
  expect(ours.length).toBeGreaterThan(1000);
});

test("no import goes upward, or to another directory on the same line", () => {
  const wrong = ours.filter(
    ({ from, to }) => directoryOf(from) !== directoryOf(to) && lineOf(from) >= lineOf(to),
  );
  expect(wrong.map(shown)).toEqual([]);
});

test("no imports form a cycle", () => {
  const targets = new Map<string, string[]>();
  for (const { from, to } of ours) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(" → "));
    if (done.has(file) || trail.includes(file)) return;
    for (const next of targets.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
  expect(cycles).toEqual([]);
});

test("only the directories for files and settings use the file system", () => {
  const wrong = imports.filter(
    ({ from, to }) => to.startsWith("node:fs") && !withFiles.has(directoryOf(from)),
  );
  expect(wrong.map(shown)).toEqual([]);
});

test("only bin uses the process", () => {
  const wrong = imports.filter(({ from, to }) => to === "node:process" && directoryOf(from) !== "bin");
  expect(wrong.map(shown)).toEqual([]);
});

/** Files of one kind in parallel directories may share a name. */
test("no two files share a name", () => {
  const named = new Map<string, string[]>();
  for (const file of sources.filter((each) => each.startsWith("src/"))) {
    const name = path.posix.basename(file);
    named.set(name, [...(named.get(name) ?? []), file]);
  }
  expect([...named.values()].filter((files) => files.length > 1).map((files) => files.join(", "))).toEqual(
    [],
  );
});

test("a file has at most 400 lines, and few have 20 or fewer", () => {
  const lengths = sources.map((file) => [file, readFileSync(file, "utf8").split("\n").length - 1] as const);
  expect(lengths.filter(([, length]) => length > 400)).toEqual([]);
  const short = lengths.filter(([file, length]) => file.startsWith("src/") && length <= 20);
  expect(short.length, short.map(([file]) => file).join("\n")).toBeLessThanOrEqual(15);
});
