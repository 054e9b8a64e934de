import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/cli/catalogue.ts";
import { type Typed, typeInConsole } from "../harness/console.ts";
import { blocksOf, consoleSections, patternOf, readme, type Section, type Step } from "../harness/readme.ts";
import { useRecipeDesk } from "../harness/recipe-desk.ts";
import { leftOut, type Tool, toolNames } from "../harness/recipe-tools.ts";

const [first, ...sections] = consoleSections();

/** What was typed before and is still in force: the first block, and the variables and files that are used. */
function stepsBefore(section: Section): readonly Step[] {
  const typed = sections.slice(0, sections.indexOf(section)).flatMap(({ steps }) => steps);
  const needed: Step[] = [];
  let read = section.steps.map(({ command }) => command).join("\n");
  for (const step of typed.toReversed()) {
    const name = /^(\w+)=/u.exec(step.command)?.[1];
    const file = /--out (\S+)/u.exec(step.command)?.[1];
    const isRead =
      (name !== undefined && read.includes(`$${name} `)) || (file !== undefined && read.includes(file));
    if (!isRead) continue;
    needed.unshift(step);
    read += step.command;
  }
  return [...(first?.steps ?? []), ...needed];
}

const desk = useRecipeDesk();

const toolsOf = (steps: readonly Step[]): readonly Tool[] =>
  toolNames.filter((name) =>
    steps.some(({ command }) => new RegExp(`(?:^|[\\s(;|'"])${name} `, "u").test(command)),
  );

/** A failure shows the whole screen beside what the README has; nothing below a command means that it says nothing. */
function asShown({ shown }: Step, { screen }: Typed): string {
  return patternOf(shown).test(screen) ? `${shown.join("\n")}\n` : screen;
}

describe("every console example of the README prints what stands below it:", () => {
  for (const section of sections) {
    const { heading, steps } = section;
    const reason = leftOut(`"${heading}" of the README was not tried`, ["script", ...toolsOf(steps)]);
    test.skipIf(reason !== undefined)(reason ?? heading, async () => {
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

/** Those would install, store keys or ask for one: they are read only. */
describe("the lines that no test runs", () => {
  const lines = blocksOf("sh").flatMap((block) => block.trim().split("\n"));

  test("are what a shell takes", () => {
    expect(lines.length).toBeGreaterThan(5);
    const { status, stderr } = spawnSync("bash", ["-n"], {
      input: `${lines.join("\n")}\n`,
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("name the tarball that npm pack writes", () => {
    const { version }: { version?: unknown } = JSON.parse(readFileSync("package.json", "utf8"));
    const named = [...readme.matchAll(/dexdata-[\w.-]*\.tgz/gu)].map(([name]) => name);
    expect(new Set(named)).toEqual(new Set([`dexdata-${String(version)}.tgz`]));
  });

  test("name commands and flags that there are", () => {
    const entries = catalogue();
    for (const [, typed = ""] of lines.join("\n").matchAll(/\bdexdata ((?:\w[\w.-]* ?|--[\w-]+ ?)+)/gu)) {
      if (/^\d/u.test(typed)) continue;
      const entry = entries.find(({ words }) => `${typed.trim()} `.startsWith(`${words} `));
      expect([typed, entry]).toEqual([typed, expect.anything()]);
      const flags = [...typed.matchAll(/--([\w-]+)/gu)].map(([, name]) => name);
      expect(entry?.flags.map(({ name }) => name)).toEqual(expect.arrayContaining(flags));
    }
  });
});
