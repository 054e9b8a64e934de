import { describe, expect, test } from "vitest";
import { textFormats } from "../../src/api/output-format.ts";
import { commands } from "../harness/hostile/commands.ts";
import { dexdata } from "../harness/dexdata.ts";
import { findForbidden, forbidden, forbiddenHeaders as headers } from "../harness/hostile/forbidden.ts";
import { madeUpAnswer, soundText, type TextOf } from "../harness/hostile/made-up-answer.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

/** Leaves the values that the program itself reads unchanged; all text that is only shown is hostile. */
const shownTexts: TextOf = (name, field) =>
  ["id", "chain", "pool_id", "time_open", "created_at"].includes(name) ? soundText(name, field) : forbidden;
const everyText: TextOf = () => forbidden;

describe.each(commands.map(({ words, endpoint }) => [words, endpoint] as const))("%s", (words, endpoint) => {
  test.each([
    ["what is only shown", shownTexts],
    ["every text", everyText],
  ] as const)(
    "promise 2: %s is hostile: it cannot control a terminal or forge rows in a pipe",
    async (_, textOf) => {
      const answer = madeUpAnswer(endpoint, textOf);
      const server = await serveInTest(() => json(answer, { headers }));
      const env = { DEXDATA_BASE_URL: server.url, DEXDATA_PRO_BASE_URL: server.url };
      const isShown = textOf === shownTexts;
      for (const format of textFormats) {
        // What the program itself reads is written by the same code for both.
        for (const isTerminal of isShown ? [true, false] : [true]) {
          const outcome = await dexdata(`${words} -o ${format} --color never --stats -vv --quiet`, {
            env: { ...env, DEXDATA_API_KEY: "api_pro_0123456789", DEXDATA_TIER: "pro" },
            isTerminal,
          });
          const { exit, stdout, stderr } = outcome;
          expect({
            format,
            isTerminal,
            exit: isShown ? exit : 0,
            found: findForbidden(
              format === "tsv" ? (stdout + stderr).replaceAll("\t", " ") : stdout + stderr,
            ),
          }).toEqual({
            format,
            isTerminal,
            exit: 0,
            found: undefined,
          });
          expect(stdout).not.toMatch(/^\{"id":"forged"/mu);
          // Candles and other purely numeric responses have no text to show.
          const told = JSON.stringify(forbidden).slice(1, -1);
          if (isShown && format === "json" && JSON.stringify(answer).includes(told))
            expect(JSON.stringify(JSON.parse(stdout))).toContain(told);
        }
      }
    },
  );
});
