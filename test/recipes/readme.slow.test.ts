import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { type Typed, typeInConsole } from "../harness/console.ts";
import { blocksOf, consoleSections, pages, patternOf, type Section, type Step } from "../harness/readme.ts";
import { useRecipeDesk } from "../harness/recipe-desk.ts";
import { leftOut, type Tool, toolNames } from "../harness/recipe-tools.ts";

const sections = consoleSections();

/** The earlier steps of the page that a section relies on: exported variables, and the variables and files that it uses. */
function stepsBefore(section: Section): readonly Step[] {
  const typed = sections
    .slice(0, sections.indexOf(section))
    .filter(({ page }) => page === section.page)
    .flatMap(({ steps }) => steps);
  const needed: Step[] = [];
  let read = section.steps.map(({ command }) => command).join("\n");
  for (const step of typed.toReversed()) {
    const names = [...step.command.matchAll(/(?:^| )(\w+)=/gu)].map(([, name]) => name);
    const file = /--out (\S+)/u.exec(step.command)?.[1];
    const isRead =
      step.command.startsWith("export ") ||
      (!step.command.startsWith("dexdata") && names.some((name) => read.includes(`$${name} `))) ||
      (file !== undefined && read.includes(file));
    if (!isRead) continue;
    needed.unshift(step);
    read += step.command;
  }
  return needed;
}

const desk = useRecipeDesk();

const toolsOf = (steps: readonly Step[]): readonly Tool[] =>
  toolNames.filter((name) =>
    steps.some(({ command }) => new RegExp(`(?:^|[\\s(;|'"])${name}[ ']`, "u").test(command)),
  );

/** The pages say that they omit it. */
const sandboxNote = "note: simulated data, because DEXDATA_SANDBOX is set\n";

/** A failure shows the complete screen next to the page. No output below a command means that it prints nothing. */
function asShown({ shown }: Step, { screen }: Typed): string {
  return patternOf(shown).test(screen.replaceAll(sandboxNote, "")) ? `${shown.join("\n")}\n` : screen;
}

describe("every console example of the pages prints the output below it:", () => {
  for (const section of sections) {
    const { page, heading, steps } = section;
    const title = `${page}, ${heading}`;
    const reason = leftOut(`"${title}" was not tried`, ["script", ...toolsOf(steps)]);
    test.skipIf(reason !== undefined)(reason ?? title, async () => {
      const typed = await typeInConsole(desk(), steps, stepsBefore(section));
      const [expected, seen]: [object[], object[]] = [[], []];
      for (const [index, step] of steps.entries()) {
        const each = typed[index];
        if (each === undefined) throw new Error(`nothing was seen of ${step.command}`);
        expected.push({ command: step.command, exit: 0, screen: `${step.shown.join("\n")}\n` });
        seen.push({ ...each, screen: asShown(step, each) });
      }
      expect(seen).toEqual(expected);
    });
  }
});

/** These would install packages, store keys or call the API, so the test only parses them. */
describe("the lines that no test executes", () => {
  const checks = [...(pages.get("docs/assumptions.md") ?? "").matchAll(/ \| `(dexdata .*)` \|$/gmu)].map(
    ([, command = ""]) => command.replaceAll("\\|", "|").replaceAll(/<[^>]*>/gu, "x"),
  );
  const lines = [...blocksOf("sh").flatMap((block) => block.trim().split("\n")), ...checks];

  test("are valid shell syntax", () => {
    expect(checks.length).toBeGreaterThan(30);
    expect(lines.length).toBeGreaterThan(checks.length + 5);
    const { status, stderr } = spawnSync("bash", ["-n"], {
      input: `${lines.join("\n")}\n`,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("contain the tarball name that npm pack writes", () => {
    const { version }: { version?: unknown } = JSON.parse(readFileSync("package.json", "utf8"));
    const text = [...pages.values()].join("\n");
    const named = [...text.matchAll(/dexdata-[\w.-]*\.tgz/gu)].map(([name]) => name);
    expect(new Set(named)).toEqual(new Set([`dexdata-${String(version)}.tgz`]));
  });

  test("contain only commands and flags that exist", () => {
    for (const [, typed = ""] of lines.join("\n").matchAll(/\bdexdata (\w[^|;>)\n]*)/gu)) {
      const entry = allCommands.find(({ words }) => `${typed.trim()} `.startsWith(`${words} `));
      expect([typed, entry]).toEqual([typed, expect.anything()]);
      const flags = [...typed.matchAll(/--([\w-]+)/gu)].map(([, name]) => name);
      expect(Object.keys({ ...entry?.flags, ...entry?.shared })).toEqual(expect.arrayContaining(flags));
    }
  });
});
