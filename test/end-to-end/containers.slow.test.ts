import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { binaryEnv, ended, program, start } from "../harness/binary.ts";
import { bundle } from "../harness/bundle.ts";
import { isLong } from "../harness/long.ts";
import { linesIn, type PagedList, pullOfPages, servePages } from "../harness/paged-list.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Acts like a container: process 1 of a namespace in which it sees no other process. */
const inNamespace = ["--pid", "--fork", "--kill-child", "--mount-proc"];
const canUnshare = spawnSync("unshare", [...inNamespace, "true"]).status === 0;
const name = "two containers on one directory";
const leftOut = `LEFT OUT: ${name}: unshare --pid is not permitted here (it needs root)`;
if (!canUnshare) console.warn(leftOut);

const folder = temporaryFolder();
let count = 0;
function newFile(): string {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), "rows");
}

/** A Node program as process 1 of its own namespace. */
function contain(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawn("unshare", [...inNamespace, process.execPath, ...words], {
    env: binaryEnv(env),
    stdio: "pipe",
  });
}

const pages = 6;
const wordsFor = (file: string, more: readonly string[]): readonly string[] => [
  ...pullOfPages,
  "--rpm",
  "unlimited",
  "-o",
  "ndjson",
  "--error-format",
  "text",
  "--out",
  file,
  ...more,
];

/**
 * Delays page 3 until `go` is called, and reports when it is requested and the pages before it are written.
 */
function hold(list: PagedList, rowsAt: string): { readonly held: Promise<void>; readonly go: () => void } {
  let go = (): void => undefined;
  const going = new Promise<void>((resolve) => {
    go = resolve;
  });
  const held = new Promise<void>((resolve) => {
    list.interfere = async (page) => {
      if (page !== 3) return undefined;
      await linesIn(rowsAt, 6);
      resolve();
      await going;
      return undefined;
    };
  });
  return { held, go: () => go() };
}

const complete = Array.from({ length: pages }, (_, page) => [`0x${page}0`, `0x${page}1`]).flat();
const idsIn = (file: string): readonly unknown[] => rowsOf(readFileSync(file, "utf8")).map(({ id }) => id);

describe.runIf(canUnshare)(name, () => {
  test.each([[[]], [["--resume"]], [["--force"]]])(
    "two containers with one file, both process 1: one works and the other is rejected; with %j",
    async (more) => {
      const list = await servePages(pages);
      const file = newFile();
      const { held, go } = hold(list, more.includes("--resume") ? file : `${file}.part`);
      const first = ended(contain([program, ...wordsFor(file, more)], list.env), 60_000);
      await held;
      const second = await ended(contain([program, ...wordsFor(file, more)], list.env), 60_000);
      expect({ exit: second.exit, stderr: second.stderr }).toEqual({
        exit: 7,
        stderr:
          `error: ${file} is in use by process 1 in another container\n` +
          `  hint: wait until it has finished, or stop it; if it is not dexdata, delete ${file}.lock\n`,
      });
      go();
      expect(await first).toMatchObject({ exit: 0, stderr: "" });
      expect(idsIn(file)).toEqual(complete);
      expect(readdirSync(path.dirname(file))).toEqual(["rows"]);
    },
    120_000,
  );

  test("runs started at once each succeed or are rejected, and none exits with 0 after two wrote one file", async () => {
    const list = await servePages(pages);
    for (let round = 0; round < (isLong ? 4 : 2); round += 1) {
      const file = newFile();
      const more = round % 2 === 0 ? ["--resume"] : [];
      const ends = await Promise.all(
        Array.from(
          { length: 5 },
          async () => await ended(contain([program, ...wordsFor(file, more)], list.env), 60_000),
        ),
      );
      const exits = ends.map(({ exit }) => exit);
      expect(exits.filter((exit) => exit === 0)).toHaveLength(1);
      // One that comes after the first has finished finds a file that exists.
      expect(exits.filter((exit) => exit === 7 || exit === 2)).toHaveLength(4);
      expect(idsIn(file)).toEqual(complete);
    }
  }, 240_000);

  test("after one is killed, its lock is respected for a minute, then taken (long: the second half)", async () => {
    const list = await servePages(pages);
    const file = newFile();
    const { held, go } = hold(list, file);
    const first = contain([program, ...wordsFor(file, ["--resume"])], list.env);
    const gone = ended(first, 60_000);
    await held;
    first.kill("SIGKILL");
    await gone;
    go();
    const refused = await ended(contain([program, ...wordsFor(file, ["--resume"])], list.env), 60_000);
    expect({ exit: refused.exit, said: refused.stderr.split("\n")[0] }).toEqual({
      exit: 7,
      said: `error: ${file} is in use by process 1 in another container`,
    });
    if (!isLong) return;
    const minuteAgo = Date.now() / 1000 - 61;
    utimesSync(`${file}.lock`, minuteAgo, minuteAgo);
    const taken = await ended(contain([program, ...wordsFor(file, ["--resume"])], list.env), 60_000);
    expect({ exit: taken.exit, stderr: taken.stderr }).toEqual({ exit: 0, stderr: "" });
    expect(idsIn(file)).toEqual(complete);
  }, 120_000);

  describe("containers with one state file", () => {
    let counter: string;
    beforeAll(async () => {
      counter = path.join(folder, "counter.cjs");
      await bundle(fileURLToPath(new URL("../files/counter.ts", import.meta.url)), counter);
    });

    test.each([
      ["each container with process ID 1", 0],
      ["each container with a different process ID", 40],
    ])(
      "%s: the changes of all containers are saved",
      async (_whose, apart) => {
        const file = path.join(folder, `count-${apart}.json`);
        const ends = await Promise.all(
          Array.from({ length: 3 }, async (_, index) => {
            // Each subshell uses one process ID.
            const script = `for i in $(seq ${index * apart}); do (:); done; "$0" "$@"`;
            const shell = ["sh", "-c", apart === 0 ? 'exec "$0" "$@"' : script];
            const words = [...inNamespace, ...shell, process.execPath, counter, file, "100"];
            return await ended(spawn("unshare", words, { env: binaryEnv(), stdio: "pipe" }), 120_000);
          }),
        );
        expect(ends.map(({ exit, stderr }) => [exit, stderr])).toEqual(ends.map(() => [0, ""]));
        expect(toRow(readFileSync(file, "utf8"))).toEqual({ counted: 300 });
      },
      180_000,
    );
  });
});

test.runIf(!canUnshare)(leftOut, () => undefined);

test("the next run continues a killed pull, because the lock shows that its process has ended", async () => {
  for (const begun of [[], ["--resume"]]) {
    const list = await servePages(pages);
    const file = newFile();
    const { held, go } = hold(list, begun.length > 0 ? file : `${file}.part`);
    const first = start(wordsFor(file, begun), list.env);
    const gone = ended(first);
    await held;
    first.kill("SIGKILL");
    await gone;
    go();
    expect(readdirSync(path.dirname(file))).toContain("rows.lock");
    expect(await ended(start(wordsFor(file, ["--resume"]), list.env))).toMatchObject({ exit: 0, stderr: "" });
    expect(idsIn(file)).toEqual(complete);
    expect(readdirSync(path.dirname(file))).toEqual(["rows"]);
  }
}, 120_000);
