import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../src/cli/settings/read-settings.ts";
import { allSettings } from "../../src/cli/settings/edit-config.ts";
import { dexdata } from "../harness/dexdata.ts";
import { failureOf } from "../harness/failure-of.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";

const booleans = allSettings.filter(({ fallback }) => typeof fallback === "boolean");

const cases = (words: readonly string[]): readonly string[] =>
  words.flatMap((word) => [word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)]);
const on = cases(["1", "true", "t", "yes", "y", "on"]);
const off = cases(["0", "00", "false", "f", "no", "n", "off", "none"]);
const unknown = ["nein", "2", "-1", "01", "disabled", "nope", "1 ", " 0", "yes!", "truee"];

describe.each(booleans)("$variable", ({ variable, name }) => {
  const valueOf = (text: string) =>
    Object.entries(readSettings(createTestContext({ env: { [variable]: text } }))).find(
      ([each]) => each === name,
    )?.[1];

  test.each(on)("%s turns it on", (text) => {
    expect(valueOf(text)).toMatchObject({ value: true, source: "environment", text });
  });

  test.each(off)("%s turns it off", (text) => {
    expect(valueOf(text)).toMatchObject({ value: false, source: "environment", text });
  });

  test.each(unknown)('"%s" is refused with the name and the accepted words', async (text) => {
    expect(await failureOf(() => valueOf(text))).toMatchObject({
      exit: 2,
      message: `invalid ${variable} "${text}": must be 1, true, yes or on, or 0, false, no or off`,
    });
  });

  test("an empty variable counts as unset", () => {
    expect(valueOf("")).toMatchObject({ value: false, source: "default" });
  });
});

test("every boolean variable is a setting, so no other code interprets one", () => {
  expect(booleans.map(({ variable }) => variable)).toEqual(["DEXDATA_SANDBOX", "DEXDATA_NO_INPUT"]);
  const files = ["src", "bin"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file)),
  );
  const readers = files
    .filter((file) => file.endsWith(".ts") && readFileSync(file, "utf8").includes('env["DEXDATA_SANDBOX"]'))
    .map((file) => [file, /readSwitch\(process\.env\["DEXDATA_SANDBOX"\]/u.test(readFileSync(file, "utf8"))]);
  expect(readers).toEqual([["bin/run-command.ts", true]]);
});

describe("DEXDATA_SANDBOX in a command", () => {
  const prices = "prices ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

  test.each(off)("%s: the price comes from the service, without a note", async (word) => {
    const server = await serveInTest(() => json([]));
    const env = { DEXDATA_SANDBOX: word, DEXDATA_BASE_URL: server.url };
    const { stdout } = await dexdata(`${prices} -q`, { env });
    expect([stdout, server.requests.length]).toEqual(["", 1]);
  });

  test("an unknown word is exit 2 without a request or a price", async () => {
    const env = { DEXDATA_SANDBOX: "nope", DEXDATA_BASE_URL: "http://127.0.0.1:1" };
    const { exit, stdout, stderr } = await dexdata(`${prices} -q --error-format text`, { env });
    expect({ exit, stdout, stderr }).toEqual({
      exit: 2,
      stdout: "",
      stderr: 'error: invalid DEXDATA_SANDBOX "nope": must be 1, true, yes or on, or 0, false, no or off\n',
    });
  });

  const note = "note: simulated data, because DEXDATA_SANDBOX is set\n";

  test.each([
    `${prices} -q`,
    "networks --limit 1 -q",
    "pools search base --limit 1 -q",
    "usage -q",
    "api /networks -q",
    "auth status -q",
    "stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --limit 1 -q",
  ])("%s prints a note that the variable turned it on, even with -q", async (words) => {
    const { exit, stderr } = await dexdata(words, { env: { DEXDATA_SANDBOX: "1" }, speed: 20 });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: note });
  });

  test("the flag alone prints no such note, and neither does the flag with the variable", async () => {
    for (const env of [{}, { DEXDATA_SANDBOX: "1" }]) {
      const { exit, stderr } = await dexdata("networks --limit 1 -q --sandbox", { env });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    }
  });

  test("a terminal shows the note instead of the remark, not both", async () => {
    const terminal = { env: { DEXDATA_SANDBOX: "1", TERM: "xterm" }, isTerminal: true };
    const { stderr } = await dexdata("networks --limit 1", terminal);
    expect(stderr.match(/simulated data/gu)).toHaveLength(1);
    expect(stderr).toContain(note);
  });
});
