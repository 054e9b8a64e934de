import type { Tone } from "./values/cell.ts";

/** Adds colour to a text that is already as wide as it should be. */
export type Paint = (text: string, tone: Tone) => string;

/** chalk loads only where there is colour. Its own guess about the terminal is not asked: that was decided. */
export async function createPaint(isColored: boolean): Promise<Paint> {
  if (!isColored) return (text) => text;
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: 1 });
  return (text, tone) => {
    if (text === "") return text;
    switch (tone) {
      case "plain":
        return text;
      case "up":
        return chalk.green(text);
      case "down":
        return chalk.red(text);
      case "faint":
        return chalk.dim(text);
      case "heading":
        return chalk.bold(text);
      case "risen":
        return chalk.green.inverse(text);
      case "fallen":
        return chalk.red.inverse(text);
      case "changed":
        return chalk.inverse(text);
    }
  };
}
