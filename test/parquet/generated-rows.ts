import { type RowShape, rowShape } from "../../src/api/endpoint.ts";
import { ofManyAssets } from "../../src/api/endpoint.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import type { Field } from "../../src/api/record.ts";

export interface Kind {
  readonly name: string;
  readonly shape: RowShape;
}

const shapes = endpoints.flatMap((endpoint) =>
  Object.keys(endpoint.rows).flatMap((group): Kind[] => {
    const shape = rowShape(endpoint, group);
    const kind = { name: shape.name, shape };
    if (shape.ofMany === undefined) return [kind];
    return [kind, { name: `${shape.name} of many assets`, shape: rowShape(ofManyAssets(endpoint)) }];
  }),
);

/** Each kind of row once; two endpoints can have the same. */
export const kinds: readonly Kind[] = [...new Map(shapes.map((kind) => [kind.name, kind])).values()];

type Random = () => number;

const pick = <T>(random: Random, from: readonly T[]): T => {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
};

const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, (_, at) =>
    at === 0 ? 1 + Math.floor(random() * 9) : Math.floor(random() * 10),
  ).join("");

function integer(random: Random): string {
  const sign = random() < 0.3 ? "-" : "";
  return pick(random, [
    () => "0",
    () => "-0",
    () => `${sign}${digits(random, 1 + Math.floor(random() * 80))}`,
    () => `${sign}${digits(random, 1 + Math.floor(random() * 18))}`,
    () => `${sign}${digits(random, 1 + Math.floor(random() * 5))}e${Math.floor(random() * 40)}`,
    () => `${sign}${digits(random, 2)}.5E+${Math.floor(random() * 40)}`,
    () => `${sign}${"9".repeat(pick(random, [18, 19, 37, 38, 39]))}`,
    () =>
      pick(random, [
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
      ]),
    () => `${sign}${digits(random, 3)}000e-3`,
    () => `1e${pick(random, ["400", "-400", "99999999999999999999", "-99999999999999999999"])}`,
  ])();
}

function number(random: Random): string {
  return pick(random, [
    () => String(random()),
    () => String((random() - 0.5) * 10 ** Math.floor(random() * 300)),
    () => `${String(random())}00`,
    () => `${digits(random, 1 + Math.floor(random() * 30))}.${digits(random, 1 + Math.floor(random() * 30))}`,
    () => `1.${digits(random, 16)}e-${Math.floor(random() * 330)}`,
    () => integer(random),
  ])();
}

const words = [
  "",
  "WETH",
  " ",
  "\u0000",
  "\uFEFFbyte order mark",
  "\ud800",
  "half \udc00 pair",
  'quote" backslash\\ tab\t line\nbreak\r',
  "\u001b[31mred\u0007",
  "=cmd|' /C calc'!A0",
  "\u202Eevil\u2066",
  "\u{10FFFF}",
  "日本語 🦄",
  "null",
  "\u2028\u2029\u007f\u0085",
  "other",
  "x".repeat(3000),
  "__proto__",
] as const;

function time(random: Random): string {
  const date = pick(random, [
    "2026-11-20",
    "0000-01-01",
    "9999-12-31",
    "1969-12-31",
    "2024-02-29",
    "2026-02-30",
    "2016-12-31",
  ]);
  const clock = pick(random, ["08:54:00", "23:59:59", "23:59:60", "00:00:00", "24:00:00"]);
  const length = Math.floor(random() * 10);
  const fraction =
    length === 0
      ? ""
      : `.${pick(random, ["0".repeat(length), digits(random, length), `${digits(random, 3)}000`])}`;
  const zone = pick(random, ["Z", "Z", "z", "+00:00", "-05:30", "+23:59", "-23:59", ""]);
  return `${date}${pick(random, ["T", "t", " "])}${clock}${fraction}${zone}`;
}

/** JSON strings, sometimes with needless escapes. */
function quoted(random: Random, text: string): string {
  if (random() > 0.1) return JSON.stringify(text);
  const escaped = Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
  );
  return `"${escaped.join("")}"`;
}

const anyJson = (random: Random): string =>
  pick(random, [
    () => number(random),
    () => integer(random),
    () => quoted(random, pick(random, words)),
    () => "true",
    () => "false",
    () => "null",
    () => `[ ${number(random)}, {"a" : null} ]`,
    () => `{"nested":{"deep": [1.10 , "x\\u0000"]}, "nested":2}`,
    () => "{}",
    () => "[]",
  ])();

function valueOf(random: Random, { type, reads }: Field): string {
  if (random() < 0.05) return anyJson(random);
  if (random() < 0.05) return "null";
  switch (type.kind) {
    case "text":
      return quoted(random, reads === "time" ? time(random) : pick(random, words));
    case "number-or-text":
      return pick(random, [
        () => integer(random),
        () => `"${integer(random)}"`,
        () => quoted(random, pick(random, words)),
      ])();
    case "number":
      return number(random);
    case "integer":
      return integer(random);
    case "boolean":
      return pick(random, ["true", "false"]);
    case "any":
    case "record":
    case "list":
      return anyJson(random);
  }
}

const unknownNames = [
  "surprise",
  "__proto__",
  "other",
  "AMOUNT_0",
  "",
  "a.b",
  "\ud800",
  "line\nbreak",
  "constructor",
];

/** A row as a hostile service might send it, with fields missing, repeated, unknown, and in any order. */
export function generateRow(random: Random, shape: RowShape): string {
  const members = Object.entries({ ...shape.record, ...shape.added?.record }).flatMap(([name, field]) => {
    if (random() < 0.1) return [];
    const once = [quoted(random, name), valueOf(random, field)];
    return random() < 0.02 ? [once, [quoted(random, name), valueOf(random, field)]] : [once];
  });
  while (random() < 0.2) members.push([quoted(random, pick(random, unknownNames)), anyJson(random)]);
  if (random() < 0.3) members.sort(() => random() - 0.5);
  const blank = random() < 0.2 ? " \n" : "";
  return `{${members.map(([name, value]) => `${blank}${name}${blank}:${blank}${value}${blank}`).join(",")}}`;
}
