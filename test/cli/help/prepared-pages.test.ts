import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../../src/cli/all-commands.ts";
import { preparedFile } from "../../../src/cli/help-page.ts";
import { preparedPage, preparedWords } from "../../../src/cli/program/help/print-help.ts";
import { ended, packageFolder, start } from "../../harness/binary.ts";
import { dexdata } from "../../harness/dexdata.ts";

const dist = path.join(packageFolder, "dist");

describe("the help pages that the build generates", () => {
  test("match the pages of the program, for every command and every word that leads to one", () => {
    const files = preparedWords(allCommands).map((words) =>
      preparedFile(words === "" ? [] : words.split(" ")),
    );
    expect(readdirSync(path.join(dist, "help")).toSorted()).toEqual(
      files.map((file) => file.slice("help/".length)).toSorted(),
    );
    for (const [index, words] of preparedWords(allCommands).entries()) {
      const built: unknown = JSON.parse(readFileSync(path.join(dist, files[index] ?? ""), "utf8"));
      expect(built).toEqual(JSON.parse(JSON.stringify(preparedPage(allCommands, words))));
    }
  });

  test.each([
    [[]],
    [["-h"]],
    [["pools", "--help"]],
    [["help", "auth", "login"]],
    [["tokens", "search", "-h"]],
    [["help", "auth_login"]],
    [["help", "../package"]],
    [["help", "time", "--help"]],
    [["pool", "--help", "--sandbox"]],
  ])("%j prints the same with and without them", async (words) => {
    const { exit, stdout, stderr } = await ended(start(words));
    const unprepared = await dexdata(words);
    expect({ exit, stdout: stdout.toString(), stderr }).toEqual({
      exit: unprepared.exit,
      stdout: unprepared.stdout,
      stderr: unprepared.stderr,
    });
  });
});
