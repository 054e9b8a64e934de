import { spawnSync } from "node:child_process";
import { closeSync, linkSync, mkdirSync, openSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { binaryEnv, program } from "../harness/binary.ts";
import { dexdata } from "../harness/dexdata.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { listen, pricesOf } from "../tail/stream-run.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);
const asset = "ethereum:0x0000000000000000000000000000000000000abc";

symlinkSync("rows", inFolder("rows-link"));
mkdirSync(inFolder("dd/2026-11-28"), { recursive: true });
symlinkSync("dd", inFolder("ddl"));
writeFileSync(inFolder("known"), "");
linkSync(inFolder("known"), inFolder("known-hard"));

test.each([
  ["--out rows-link --metrics rows", "--metrics", "--out file"],
  ["--out rows --events rows-link", "--events", "--out file"],
  ["--out dd/x --metrics ddl/x", "--metrics", "--out file"],
  ["--out known --events known-hard", "--events", "--out file"],
  ["--out known-hard @known", "--out", "list that this run reads"],
  ["--out col-{date} --metrics col-2026-11-28", "--metrics", "--out file"],
  ["--out col-%Y --metrics col-2026.1", "--metrics", "--out file"],
  ["--out dd/{date}/{date-hour}.x --events ddl/2026-11-28/2026-11-28T09.x", "--events", "--out file"],
  ["--when price>1 --out st-{date} --state st-2026-11-28", "--state", "--out file"],
])("%s: exit 2 before a request", async (words, flag, use) => {
  const server = await serveInTest(pricesOf);
  const typed = words.split(" ").map((word) => (/^--|[<>]/u.test(word) ? word : here(word)));
  const { exit, stderr } = await listen([asset, ...typed], server).outcome;
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`must not be the ${use}`)]);
  expect([stderr.includes(`invalid ${flag} "`), server.requests.length]).toEqual([true, 0]);
});

const here = (word: string): string =>
  word.startsWith("@") ? `@${inFolder(word.slice(1))}` : inFolder(word);

test("a receipt of the same name as a file of rows: exit 2 before a request", async () => {
  const server = await serveInTest(() => json("{}"));
  const names = `--out ${inFolder("t-{date}.ndjson")} --receipt ${inFolder("t-2026-11-20.ndjson")}`;
  const { exit, stderr } = await dexdata(`txns ethereum 0x1 --from -1d ${names} --base-url ${server.url}`);
  expect([exit, stderr]).toEqual([2, expect.stringContaining("must not be the --out file")]);
  expect(server.requests.length).toBe(0);
});

test.each([
  ["networks", "--receipt"],
  [`prices ${asset} --watch 5s`, "--metrics"],
  [`stream ${asset} --when price>1`, "--state"],
])("%s > FILE %s FILE: exit 2, because the rows would be lost", async (words, flag) => {
  const file = inFolder("stdout");
  const stdout = openSync(file, "w");
  const typed = [...words.split(" "), flag, file, "--sandbox", "--error-format", "text"];
  const child = spawnSync(process.execPath, [program, ...typed], {
    env: binaryEnv(),
    stdio: ["ignore", stdout, "pipe"],
    timeout: 20_000,
  });
  closeSync(stdout);
  expect([child.status, String(child.stderr)]).toEqual([
    2,
    `error: invalid ${flag} "${file}": must not be the file that stdout is redirected to\n  hint: use another file\n`,
  ]);
});

test.each([
  "--out col-{date} --metrics col-2026-11-2",
  "--out col-{date} --metrics dd/col-2026-11-28",
  "--out {token}.x --metrics all.x",
])("%s: different files", async (words) => {
  const server = await serveInTest(pricesOf);
  const typed = words.split(" ").map((word) => (word.startsWith("--") ? word : here(word)));
  const { exit } = await listen([asset, ...typed, "--limit", "1"], server).outcome;
  expect(exit).toBe(0);
});

test("two names of a device, such as a terminal that is read and written", async () => {
  for (const name of ["null", "null-too"]) symlinkSync("/dev/null", inFolder(name));
  const words = [`@${inFolder("null")}`, "--events", inFolder("null-too")];
  const { stderr } = await listen(words, undefined).outcome;
  expect(stderr).toContain("no assets");
});
