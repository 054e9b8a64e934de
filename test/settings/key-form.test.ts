import { writeFileSync } from "node:fs";
import path from "node:path";
import { anyCharacter, fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { checkKeyForm, hideSecrets, maskKey, withoutSecrets } from "../../src/base/key.ts";
import { readCredentials } from "../../src/cli/settings/credentials.ts";
import { saveProfile } from "../../src/cli/settings/edit-credentials.ts";
import { findKey } from "../harness/find-key.ts";
import { createTestContext } from "../harness/test-context.ts";
import { failureOf } from "../harness/failure-of.ts";

const SECRET = "s3cr3tPart";
const KEY = `api_dev_${SECRET}`;

const wrong: readonly [string, string][] = [
  ["", "is empty"],
  [" \t ", "is empty"],
  ["\n", "is empty"],
  [`"${KEY}"`, "is enclosed in quotes"],
  [`'${KEY}'`, "is enclosed in quotes"],
  [`${KEY}"`, "is enclosed in quotes"],
  [`“${KEY}”`, "is enclosed in quotes"],
  [`"Bearer ${KEY}"`, "is enclosed in quotes"],
  [`Bearer ${KEY}`, 'starts with "Bearer"'],
  [`bEARER  ${KEY}`, 'starts with "Bearer"'],
  [` bearer ${KEY}\n`, 'starts with "Bearer"'],
  ["Bearer", 'starts with "Bearer"'],
  [KEY.padEnd(4097, "x"), "is too long to be a key"],
  [`ApiKey ${KEY}`, 'starts with "ApiKey"'],
  [`TOKEN ${KEY}`, 'starts with "Token"'],
  [`Basic ${KEY}`, 'starts with "Basic"'],
  [`Authorization: ${KEY}`, 'starts with "Authorization"'],
  [`X-API-Key: ${KEY}`, 'starts with "X-API-Key"'],
  [`${KEY}\n`, "contains a line break"],
  [`${KEY}\r\n`, "contains a line break"],
  [`${KEY}\r\nHost: elsewhere.invalid`, "contains a line break"],
  [` ${KEY}`, "starts or ends with a space"],
  [`${KEY}\t`, "starts or ends with a space"],
  [`api_ ${SECRET}`, "contains a space"],
  [`${KEY}\u0000`, "contains a control character"],
  [`${KEY}\u007f`, "contains a control character"],
  [`${KEY}\u0085x`, "contains a control character"],
  [`${KEY}\u200b`, "contains a non-ASCII character, which may be invisible"],
  [`\ufeff${KEY}`, "contains a non-ASCII character, which may be invisible"],
  [`${KEY}\u00a0x`, "contains a non-ASCII character, which may be invisible"],
  [`аpi_dev_${SECRET}`, "contains a non-ASCII character, which may be invisible"],
  [`api_"${SECRET}x`, "contains a quotation mark"],
  [`sk_live_${SECRET}`, "does not start with api_"],
  [`API_dev_${SECRET}`, "does not start with api_"],
  [`Bearer${KEY}`, "does not start with api_"],
  [`DEXDATA_API_KEY=${KEY}`, "starts with a variable name"],
  [`export DEXDATA_API_KEY = ${KEY}`, "starts with a variable name"],
  ["$DEXDATA_API_KEY", "is a placeholder that was not replaced"],
  ["${DEXDATA_API_KEY}", "is a placeholder that was not replaced"],
  ["<your api_key>", "is a placeholder that was not replaced"],
  ["%DEXDATA_API_KEY%", "is a placeholder that was not replaced"],
  ["{{ secrets.api_key }}", "is a placeholder that was not replaced"],
  [`api_…${SECRET}`, "is shortened, as in lists"],
  [`api_dev_...${SECRET}`, "is shortened, as in lists"],
  [`api_dev_****${SECRET}`, "is shortened, as in lists"],
  ["api_", "is too short to be a complete key"],
  ["api_abc", "is too short to be a complete key"],
];

test.each(wrong)("%j is not a valid key: it %s", (text, problem) => {
  const refused = checkKeyForm(text);
  expect(refused?.problem).toBe(problem);
  expect(JSON.stringify(refused)).not.toContain(SECRET);
});

test.each([KEY, "api_abcd", "api_pro_A.B-c~1+/==", "api_pro_A.B-c=1", KEY.padEnd(4096, "x")])(
  "%s has the form of a key",
  (text) => {
    expect(checkKeyForm(text)).toBeUndefined();
  },
);

test("every accepted key is valid in a header unchanged", () => {
  const likely = fc.tuple(
    fc.constantFrom("api_", "api_ ", "", "Bearer api_"),
    fc.string({ unit: anyCharacter }),
  );
  fc.assert(
    fc.property(likely, ([start, rest]) => {
      const text = start + rest;
      expect(checkKeyForm(text) === undefined).toBe(/^api_[!#-&(-_a-~]{4,}$/u.test(text));
    }),
    { numRuns: 2000 },
  );
});

test("an upper-case key is removed from a message too; a code that contains the word stays", () => {
  const message = `--rpm "API_DEV_${SECRET}": invalid_api_key; https://user:pw@host.invalid/x`;
  expect(hideSecrets(message)).toBe('--rpm "api_…": invalid_api_key; https://…@host.invalid/x');
});

test("no part of a key is shown, wherever it is in a message", () => {
  const keys = fc.stringMatching(/^api_[\w.~+/=-]{12,40}$/u);
  const around = fc.string({ unit: fc.constantFrom(...Array.from("ab1:/=@ ?&\"'\\{},.\n")) });
  const gaps = fc.constantFrom(" ", "=", "/", '"', ":", "?key=");
  fc.assert(
    fc.property(keys, around, gaps, around, (key, before, gap, after) => {
      for (const hide of [withoutSecrets, hideSecrets]) {
        const shown = hide(`${before}${gap}${key} ${after}`);
        expect(shown).not.toContain(key.slice(4, 12));
      }
      const masked = maskKey(key);
      expect(key.endsWith(masked.slice(1))).toBe(true);
      expect(masked.length).toBe(5);
    }),
    { numRuns: 1000 },
  );
});

const spoilt = fc
  .tuple(
    fc.stringMatching(/^[\w-]{4,40}$/u),
    fc.constantFrom(
      (key: string) => `Bearer ${key}`,
      (key: string) => `token:${key}`,
      (key: string) => `Authorization=${key}`,
      (key: string) => `"${key}"`,
      (key: string) => `‘${key}’`,
      (key: string) => ` ${key}`,
      (key: string) => `${key}\t`,
      (key: string) => `${key}\n`,
      (key: string) => `${key}\r\nX-Other: 1`,
      (key: string) => `${key}\u200b`,
      (key: string) => `\ufeff${key}`,
      (key: string) => `${key.slice(0, 6)} ${key.slice(6)}`,
      (key: string) => `${key.slice(0, 6)}\u0000${key.slice(6)}`,
      (key: string) => `${key.slice(0, 6)}…${key.slice(-4)}`,
      (key: string) => key.slice(1),
      (key: string) => key.toUpperCase(),
      (key: string) => `KEY=${key}`,
    ),
  )
  .map(([rest, spoil]) => ({ rest, text: spoil(`api_${rest}`) }));

test("a key of any text, damaged in any of these ways, is rejected with a problem and a hint that contain no part of it", () => {
  fc.assert(
    fc.property(spoilt, ({ rest, text }) => {
      const refused = checkKeyForm(text);
      expect(refused?.problem).toMatch(/^(?:is|contains|starts|does not) /u);
      expect(refused?.next).not.toBe("");
      // Four characters may occur in our own words; anything longer can only come from the key.
      if (rest.length > 12) expect(JSON.stringify(refused)).not.toContain(rest.slice(0, 12));
    }),
  );
});

describe("an invalid key stops the run before any request; the message shows its source but not the key", () => {
  test.each(wrong.filter(([text]) => text !== ""))("from the environment: %j", async (text, problem) => {
    const context = createTestContext({ env: { DEXDATA_API_KEY: text } });
    const failure = await failureOf(() => findKey(context, {}));
    expect(failure.exit).toBe(2);
    expect(failure.message).toBe(`the key from DEXDATA_API_KEY ${problem}`);
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });

  test("from a key file, with one trailing line break removed", async () => {
    const context = createTestContext();
    const file = path.join(context.home, "key");
    writeFileSync(file, `${KEY}\r\n`, { mode: 0o600 });
    expect((await findKey(context, { keyFile: file })).found?.key).toBe(KEY);
    writeFileSync(file, `${KEY}\n\n`, { mode: 0o600 });
    expect(await failureOf(() => findKey(context, { keyFile: file }))).toEqual({
      exit: 2,
      message: `the key from --key-file ${file} contains a line break`,
      next: "copy it again, without anything around it",
    });
  });

  test("from a store edited by hand", async () => {
    const context = createTestContext();
    await saveProfile(context, "default", { key: KEY, tier: "dev" });
    const { path: file } = readCredentials(context);
    const profile = { key: `Bearer ${KEY}`, tier: "dev", saved_at: "2026-11-21T08:54:00Z" };
    const content = { version: 1, active: "default", profiles: { default: profile }, remembered: {} };
    writeFileSync(file, JSON.stringify(content));
    expect(await failureOf(() => findKey(context, {}))).toEqual({
      exit: 2,
      message: 'the key from profile "default" starts with "Bearer"',
      next: "enter only the key; it starts with api_",
    });
  });

  test("before it is stored", async () => {
    const context = createTestContext();
    const failure = await failureOf(() => saveProfile(context, "default", { key: `${KEY} `, tier: "dev" }));
    expect(failure.message).toBe("the key starts or ends with a space");
  });

  test.each([
    ["as the path of a key file", (key: string) => ({ keyFile: key })],
    ["as the name of a profile", (key: string) => ({ profile: key })],
  ])("passed by mistake %s", async (_place, flags) => {
    const context = createTestContext();
    for (const typed of [KEY, `Bearer ${KEY}`]) {
      const failure = await failureOf(() => findKey(context, flags(typed)));
      expect(failure.exit).toBe(2);
      expect(JSON.stringify(failure)).not.toContain(SECRET);
    }
  });
});

test("a masked key shows its last four characters, and never more than a third", () => {
  const masked = [KEY, "api_abcdefgh", "api_abcde", "api_abcd", "api_", "ab", ""].map((key) => maskKey(key));
  expect(masked).toEqual(["…Part", "…efgh", "…cde", "…cd", "…_", "…", "…"]);
});

test.each([
  ["https://user:pa/ss@host.invalid/x", "https://…@host.invalid/x"],
  ["user:pass@host.invalid", "user:…@host.invalid"],
  [`https://host.invalid/?key=${KEY}`, "https://host.invalid/?key=api_…"],
  ["x".repeat(300), `${"x".repeat(200)}…`],
  ["plain text", "plain text"],
])("%s is shown as %s", (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
});
