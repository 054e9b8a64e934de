import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { dexdata } from "../harness/dexdata.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Every object has properties with these names, so that a look-up of an unknown word can find one. */
const inherited = ["constructor", "__proto__", "toString"];

const asset = "ethereum:0x0000000000000000000000000000000000000001";
const positionals: Readonly<Record<string, readonly string[]>> = {
  pool: [asset],
  txns: [asset],
  prices: [asset],
  token: [asset],
  ohlcv: [asset],
  sync: ["lake", asset],
  stream: [asset],
  dexes: ["ethereum"],
  "pools search": ["ethereum"],
  "tokens search": ["ethereum"],
  search: ["weth"],
  api: ["/networks"],
  schema: ["pool"],
};

const flags = allCommands.flatMap(({ words, shared, flags: own }) =>
  Object.entries({ ...shared, ...own })
    .filter(([, { type }]) => type.choices !== undefined)
    .map(([name]) => ({ words, name })),
);

test("no flag with choices accepts a name that every object has", async () => {
  expect(flags.length).toBeGreaterThan(80);
  const wrong: string[] = [];
  for (const { words, name } of flags)
    for (const word of inherited) {
      const argv = [...words.split(" "), ...(positionals[words] ?? []), `--${name}=${word}`];
      const { exit, stdout, stderr } = await dexdata(argv, {
        env: { DEXDATA_BASE_URL: "http://127.0.0.1:9" },
      });
      const text = stderr.replaceAll("\\", "");
      const isExpected =
        exit === 2 && stdout === "" && text.includes(`invalid --${name} "${word}": must be `);
      if (!isExpected) wrong.push(`${argv.join(" ")}: ${exit} ${stderr}`);
    }
  expect(wrong).toEqual([]);
});

test("verify reads a CSV file with such a column", async () => {
  const file = path.join(temporaryFolder(), "rows.csv");
  writeFileSync(file, `id,display_name,${inherited.join(",")}\nethereum,Ethereum,1,2,3\n`);
  const { exit, stderr } = await dexdata(["verify", file, "--error-format", "text"]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
});
