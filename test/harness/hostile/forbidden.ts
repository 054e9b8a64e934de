/**
 * One of each kind of character that controls a terminal, is invisible or breaks lines (promise 2), as numbers, so that
 * this file contains none.
 */
const points =
  "0 7 8 9 a d 1b 7f 80 85 90 9b 9d 9f ad 34f 61c 115f 17b4 180e 200b 200d 200e 200f 2028 2029 202a 202e 2060 2066 2069 " +
  "3164 feff ffa0 fff9 1bca0 1d173 e0001 e0041 e01f0";
const codePoints = points.split(" ").map((point) => Number.parseInt(point, 16));

/** All of them, an OSC title, a colored line, and a forged row. */
export const forbidden = `\u001b]0;owned\u0007\u001b[31mred${String.fromCodePoint(...codePoints)}"},\r\n{"id":"forged"}`;

const anyForbidden = new RegExp(
  `[${codePoints
    .filter((point) => point !== 0x0a)
    .map((point) => `\\u{${point.toString(16)}}`)
    .join("")}]`,
  "u",
);

/** Returns the first of them in the text, as `U+…`; line feeds are allowed. */
export function findForbidden(text: string): string | undefined {
  const point = anyForbidden.exec(text)?.[0].codePointAt(0);
  return point === undefined ? undefined : `U+${point.toString(16)}`;
}

/** Response headers, each with as many of these characters as a header may contain. */
export const forbiddenHeaders: Readonly<Record<string, string>> = Object.fromEntries(
  ["x-api-plan", "x-credits-remaining", "x-credits-reset", "ratelimit-limit", "x-request-id", "server"].map(
    (name) => [name, "\u009b31m\u00adpro\u0085"],
  ),
);

/** The program's own commands for a terminal on which it redraws lines, without colors. */
const ownCommand = /^\[(?:\?1049[hl]|\?25[hl]|\?7[hl]|\?2026[hl]|H|K|J|2K|\d+[AG])/u;

/** Does the same for redrawn output, where lines end as a terminal requires. */
export function findForbiddenInPictures(text: string): string | undefined {
  const [first = "", ...rest] = text.split("\u001B");
  const parts = rest.map((part) => (ownCommand.test(part) ? part : `\u001B${part}`));
  return findForbidden([first, ...parts].join("").replaceAll("\r\n", "\n"));
}
