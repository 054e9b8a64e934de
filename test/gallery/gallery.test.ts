import { describe, expect, it } from "vitest";
import { textWidth } from "../../src/render/values/width.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { terminalPicture } from "../harness/terminal-picture.ts";
import { exhibits, pictures } from "./exhibits.ts";
import { readableColors, withoutColors } from "./readable-colors.ts";
import { inWindow, type View } from "./views.ts";

const sandbox = useSandbox();

describe("screens and pictures", () => {
  it.each(exhibits)("$name matches the committed screen", async ({ name, commands, views }) => {
    const screens: string[] = [];
    for (const command of commands) {
      screens.push(`$ dexdata ${command}\n`);
      for (const view of views) {
        const seen = await runView(command, view);
        if (name.endsWith(".table")) expectInside(seen.stdout, view);
        const screen = screenOf(seen);
        screens.push(heading(view.title), withoutColors(screen));
        if (view.isColored) screens.push(heading(`${view.title}, colour`), readableColors(screen));
      }
    }
    await expect(screens.join("\n")).toMatchFileSnapshot(`screens/${name}.txt`);
  });

  it.each(pictures)(
    "$name matches the committed picture for the README",
    async ({ name, command, columns }) => {
      const { stdout } = await runView(command, inWindow(columns, { isColored: true }));
      const picture = terminalPicture({ command, text: stdout, columns });
      await expect(picture).toMatchFileSnapshot(`pictures/${name}.svg`);
    },
  );
});

async function runView(command: string, { columns, isColored, flags, env }: View): Promise<Outcome> {
  return await dexdata([...command.split(" "), ...flags], {
    isTerminal: columns !== undefined,
    ...(columns !== undefined && { columns }),
    env: { ...sandbox.env(), [isColored ? "FORCE_COLOR" : "NO_COLOR"]: "1", ...env },
  });
}

function heading(title: string): string {
  return `──── ${title} ${"─".repeat(Math.max(0, 70 - title.length))}`;
}

/**
 * Both streams, as on a terminal. The number of credits left depends on earlier commands, so it is replaced.
 */
function screenOf({ stdout, stderr, exit }: Outcome): string {
  const remarks = stderr.replaceAll(/\([\d,]+ left\)/gu, "(4,999,000 left)");
  return stdout + remarks + (exit === 0 ? "" : `[exit ${exit}]\n`);
}

function expectInside(stdout: string, { columns = Infinity, flags }: View): void {
  if (flags.includes("wide")) return;
  for (const line of withoutColors(stdout).split("\n"))
    expect(textWidth(line), line).toBeLessThanOrEqual(columns);
}
