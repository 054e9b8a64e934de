import type { Tone } from "./values/cell.ts";

/** Adds color to text that already has its final width. */
export type Paint = (text: string, tone: Tone) => string;

/** Loads chalk only if color is used. The caller has already decided, so chalk must not detect the terminal itself. */
export async function createPaint(isColored: boolean): Promise<Paint> {
  if (!isColored) return (text) => text;
  const { Chalk } = await import("chalk");
  const { green, red, dim, bold, inverse } = new Chalk({ level: 1 });
  const painters = {
    up: green,
    down: red,
    faint: dim,
    heading: bold,
    risen: green.inverse,
    fallen: red.inverse,
    changed: inverse,
  };
  return (text, tone) => (text === "" || tone === "plain" ? text : painters[tone](text));
}
