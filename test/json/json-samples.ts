import { anyCharacter, fc } from "../harness/properties.ts";
import { processorTime } from "../harness/processor-time.ts";

/** A value, and its text with random whitespace between the tokens. */
export interface Sample {
  readonly value: unknown;
  readonly text: string;
}

const blanks = fc.stringMatching(/^[ \n\r\t]{0,3}$/);

/**
 * Generates any JSON value, written with random whitespace; strings contain brackets, quotes, spaces, escapes and
 * `__proto__`.
 */
export function samples(): fc.Arbitrary<Sample> {
  const strings = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(
      "__proto__",
      'a "quoted" [word], {x: 1}',
      "\\",
      '\\"',
      "a, b",
      "\u202e\u200b\u{e0041}\ud800",
      "0",
      "*",
    ),
  );
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.constantFrom(null, true, false),
      strings,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie("value"), { maxLength: 5 }),
      fc.array(fc.tuple(strings, tie("value")), { maxLength: 5 }).map(fromEntries),
    ),
  })).value;
  return fc.tuple(values, fc.infiniteStream(blanks)).map(([value, stream]) => ({
    value,
    text: write(value, () => String(stream.next().value)),
  }));
}

/** `Object.fromEntries` makes `__proto__` an own property, as `JSON.parse` does. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(entries);
}

function write(value: unknown, blank: () => string): string {
  if (typeof value !== "object" || value === null) return blank() + JSON.stringify(value) + blank();
  const inside = Array.isArray(value)
    ? value.map((element: unknown) => write(element, blank))
    : Object.entries(value).map(
        ([name, member]) => `${blank()}${JSON.stringify(name)}${blank()}:${write(member, blank)}`,
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${blank()}${open}${inside.length === 0 ? blank() : inside.join(",")}${close}${blank()}`;
}

/** Runs the task and returns its result, or fails if it takes more than a second of processor time. */
export function withinASecond<T>(task: () => T): T {
  const started = process.cpuUsage();
  const result = task();
  const took = processorTime(started);
  if (took > 1000) throw new Error(`took ${Math.round(took)} ms`);
  return result;
}

/** Texts that are not JSON. None of them may cause a hang. */
export const BROKEN = [
  "",
  " ",
  "{",
  "[",
  '"',
  '"\\',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  "{1:2}",
  "{,}",
  "[1",
  "[1,",
  "[,]",
  "[1 2]",
  '["a',
  "[[1]",
  "{}x",
  "[]]",
];
