import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** The rooms of the program, from the top line down. A file imports from its own room or from a lower line. */
const lines = [["bin"], ["cli", "library"], ["lake", "sandbox"], ["rows"], ["client"], ["api"], ["base"]];

/** The only code that uses the file system. */
const withFiles = [
  "bin/",
  "src/base/files/",
  "src/cli/settings/",
  "src/rows/checkpoint.ts",
  "src/rows/out-file.ts",
  "src/rows/out-files/",
  "src/rows/rotating-file.ts",
];

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

const exports = /^export (?:async |abstract )?(?:function\*?|const|let|class|interface|type) (?<name>\w+)/gmu;

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

function roomOf(file: string): string {
  const [top = "", room = ""] = file.split("/");
  return top === "bin" ? top : room;
}

function lineOf(file: string): number {
  return lines.findIndex((rooms) => rooms.includes(roomOf(file)));
}

test("every file is in a room", () => {
  expect(sources.filter((file) => lineOf(file) < 0)).toEqual([]);
  expect(ours.length).toBeGreaterThan(1000);
});

test("no import goes upward, or to another room on the same line", () => {
  const wrong = ours.filter(({ from, to }) => roomOf(from) !== roomOf(to) && lineOf(from) >= lineOf(to));
  expect(wrong.map(shown)).toEqual([]);
});

/** The sandbox shows what the service does, so it must not share the client's mistakes. */
test("the sandbox imports nothing from the client", () => {
  const wrong = ours.filter(({ from, to }) => roomOf(from) === "sandbox" && roomOf(to) === "client");
  expect(wrong.map(shown)).toEqual([]);
});

/** Files directly in a room are what it promises to the others. `api` and `base` are vocabulary for all rooms. */
test("a room's directories are imported only from the room itself", () => {
  const isBelow = (file: string): boolean => /^src\/(?!api\/|base\/)[^/]+\/.+\//u.test(file);
  const wrong = ours.filter(({ from, to }) => roomOf(from) !== roomOf(to) && isBelow(to));
  expect(wrong.map(shown)).toEqual([]);
});

/** What a directory contains directly: its files, and its folders as a whole. */
test("no imports form a circle between the files and subdirectories of any directory", () => {
  const folders = new Set(sources.flatMap((file) => foldersOf(path.posix.dirname(file))));
  const circles = [...folders].flatMap((folder) =>
    circlesIn(importsWithin(folder)).map((nodes) => `${folder}: ${nodes.join(" → ")}`),
  );
  expect(folders.size).toBeGreaterThan(40);
  expect(circles).toEqual([]);
});

/** The folder and all above it. */
function foldersOf(folder: string): readonly string[] {
  return folder === "." ? [] : [folder, ...foldersOf(path.posix.dirname(folder))];
}

function importsWithin(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const nodeOf = (file: string): string | undefined =>
    file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split("/")[0] : undefined;
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of ours) {
    const [one, other] = [nodeOf(from), nodeOf(to)];
    if (one === undefined || other === undefined || one === other) continue;
    targets.set(one, (targets.get(one) ?? new Set()).add(other));
  }
  return targets;
}

/** Ways from a node back to itself, at least one for each circle. */
function circlesIn(targets: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const circles: (readonly string[])[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) circles.push([...trail.slice(trail.indexOf(node)), node]);
    if (done.has(node) || trail.includes(node)) return;
    for (const next of targets.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of targets.keys()) visit(node, []);
  return circles;
}

test("a circle is found", () => {
  const targets = new Map([
    ["a", new Set(["b"])],
    ["b", new Set(["c", "d"])],
    ["d", new Set(["a"])],
  ]);
  expect(circlesIn(targets)).toEqual([["a", "b", "d", "a"]]);
  expect(circlesIn(new Map([["a", new Set(["b"])]]))).toEqual([]);
});

test("only the code for files and settings uses the file system", () => {
  const isAllowed = (file: string): boolean => withFiles.some((folder) => file.startsWith(folder));
  const wrong = imports.filter(({ from, to }) => to.startsWith("node:fs") && !isAllowed(from));
  expect(wrong.map(shown)).toEqual([]);
});

test("only bin uses the process", () => {
  const wrong = imports.filter(({ from, to }) => to === "node:process" && roomOf(from) !== "bin");
  expect(wrong.map(shown)).toEqual([]);
});

/** What the package exports, and the files that its types are made from. */
const ofPackage = [
  "bin/library.ts",
  "bin/sandbox.ts",
  "src/library/public-types.ts",
  "src/library/sandbox-types.ts",
];

test("what a file exports is used by another file", () => {
  const tests = readdirSync("test", { recursive: true, encoding: "utf8" }).map((name) => `test/${name}`);
  const users = [...sources, ...tests.filter((name) => name.endsWith(".ts")), "rolldown.config.ts"].map(
    (name) => {
      const text = readFileSync(name, "utf8");
      return { name, files: new Set(text.match(/[\w.-]+(?=")/gu)), words: new Set(text.match(/\w+/gu)) };
    },
  );
  const exported = sources
    .filter((from) => !ofPackage.includes(from))
    .flatMap((from) =>
      [...readFileSync(from, "utf8").matchAll(exports)].map(({ groups }) => ({
        from,
        to: groups?.["name"] ?? "",
      })),
    );
  const isUsed = ({ from, to }: Import): boolean =>
    users.some(
      ({ name, files, words }) => name !== from && words.has(to) && files.has(path.posix.basename(from)),
    );
  expect(exported.length).toBeGreaterThan(1000);
  expect(exported.filter((each) => !isUsed(each)).map(shown)).toEqual([]);
});

test("a file has at most 400 lines, and few have 20 or fewer", () => {
  const lengths = sources.map((file) => [file, readFileSync(file, "utf8").split("\n").length - 1] as const);
  expect(lengths.filter(([, length]) => length > 400)).toEqual([]);
  const short = lengths.filter(([file, length]) => file.startsWith("src/") && length <= 20);
  expect(short.length, short.map(([file]) => file).join("\n")).toBeLessThanOrEqual(15);
});
