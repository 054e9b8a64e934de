import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** The rooms of the program, from the top. A file imports from its own room or from a lower line. */
const lines = [
  ["bin"],
  ["cli"],
  ["library"],
  ["pull", "tail", "render", "sandbox"],
  ["client", "settings"],
  ["files"],
  ["contract", "context"],
  ["json"],
  ["text", "time"],
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

test("every file stands in a room that has a line", () => {
  expect(sources.filter((file) => lineOf(file) < 0)).toEqual([]);
  expect(ours.length).toBeGreaterThan(1000);
});

test("no import goes upwards, or to another room on the same line", () => {
  const wrong = ours.filter(({ from, to }) => roomOf(from) !== roomOf(to) && lineOf(from) >= lineOf(to));
  expect(wrong.map(shown)).toEqual([]);
});
