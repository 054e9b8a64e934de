import { spawn } from "node:child_process";
import { cpSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { systemFailure, writeAdvice, writeFailure } from "../../src/base/files/file-errors.ts";
import { binaryEnv, ended, packageFolder, program } from "../harness/binary.ts";
import { json, startScriptedServer } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Runs the built program in a shell that first takes something away from it. */
async function runAfter(taken: string, words: string) {
  const script = `${taken}; exec "${process.execPath}" "${program}" ${words}`;
  const child = spawn("sh", ["-c", script], { env: binaryEnv(), stdio: "pipe" });
  const { exit, stdout, stderr } = await ended(child);
  return { exit, stdout: String(stdout), stderr };
}

const isReported = (stderr: string): boolean => !/bug in dexdata|^ +at |node:internal/mu.test(stderr);

describe("a deleted working directory", () => {
  const taken = 'gone=$(mktemp -d); cd "$gone"; rmdir "$gone"';
  const hint = "  hint: change to another directory: cd\n";

  test.each(["--out x.ndjson", "--receipt x.json", "--out 'x/{network}.ndjson'"])(
    "pools search %s: a sentence and a next step",
    async (flags) => {
      const { exit, stdout, stderr } = await runAfter(
        taken,
        `pools search base --limit 2 --sandbox --error-format text ${flags}`,
      );
      expect(isReported(stderr)).toBe(true);
      expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
      expect(stderr).toBe(`error: the working directory no longer exists\n${hint}`);
    },
  );

  test.each(["networks --limit 1 --sandbox -q", "config list", "help time", "--version"])(
    "%s does not need it",
    async (words) => {
      expect(await runAfter(taken, words)).toMatchObject({ exit: 0, stderr: "" });
    },
  );
});

describe("few open files", () => {
  // With fewer, Node cannot load the first file of the program.
  test.each([19, 20, 21, 22, 23, 24])(
    "ulimit -n %d: the result, or a sentence and a next step",
    async (most) => {
      const { exit, stdout, stderr } = await runAfter(
        `ulimit -n ${most}`,
        "networks --limit 1 --sandbox --error-format text --retries 0 -q",
      );
      expect(isReported(stderr)).toBe(true);
      if (exit === 0) expect(stdout).toContain("ethereum");
      else expect(stderr).toMatch(/^error: [^\n]+\n {2}hint: [^\n]+\n$/u);
    },
  );

  test("ulimit -n 20 names the cause", async () => {
    const { exit, stderr } = await runAfter("ulimit -n 20", "networks --sandbox --error-format text");
    expect(exit).toBe(1);
    expect(stderr).toMatch(/too many open files\n {2}hint: raise the limit of open files \(ulimit -n\)/u);
  });
});

test("a low limit of virtual memory: a sentence and a next step that helps", async () => {
  const [limit, words] = ["ulimit -v 6000000", "networks --limit 1 --sandbox --error-format text -q"];
  expect(await runAfter(limit, words)).toEqual({
    exit: 1,
    stdout: "",
    stderr:
      "error: the limit of virtual memory is too low\n  hint: raise it (ulimit -v), or set NODE_OPTIONS=--disable-wasm-trap-handler\n",
  });
  const withHint = `${limit}; export NODE_OPTIONS=--disable-wasm-trap-handler`;
  expect(await runAfter(withHint, words)).toMatchObject({ exit: 0 });
});

describe("an error of the operating system", () => {
  const codes = ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EACCES", "EIO", "EADDRINUSE", "EWHATEVER"];
  const calls = ["uv_cwd", "listen", "spawn", "open", "write", "connect", "kill", "uv_interface_addresses"];
  const all = codes.flatMap((code) =>
    calls.map((syscall) => Object.assign(new Error(code), { code, syscall })),
  );

  test("is a failure with a next step, however deep it is nested", () => {
    for (const error of all)
      for (const cause of [error, new Error("x", { cause: error }), new AggregateError([error])]) {
        const failure = systemFailure(cause);
        expect(failure?.exit).toBe(1);
        expect(failure?.message).not.toContain("bug");
      }
  });

  test.each(["EMFILE", "ENFILE"])("%s is not a matter of permissions or of the file's name", (code) => {
    const cause = Object.assign(new Error(code), { code, syscall: "open", path: "x.resume" });
    const hint = "raise the limit of open files (ulimit -n), or close other programs";
    expect(writeFailure("output", "x.resume", cause, "check the permissions").next).toBe(hint);
    expect(writeAdvice(cause)).toBe(hint);
  });

  test("is not an error of the program itself", () => {
    expect(systemFailure(new TypeError("x is not a function"))).toBeUndefined();
    expect(systemFailure("text")).toBeUndefined();
  });
});

describe("an update that removes the program's files during a pull", () => {
  const pull = async (status: number) => {
    const folder = temporaryFolder();
    const dist = path.join(folder, "dist");
    cpSync(path.join(packageFolder, "dist"), dist, { recursive: true });
    cpSync(path.join(packageFolder, "package.json"), path.join(folder, "package.json"));
    const server = await startScriptedServer(({ query }) => {
      const isFirst = query.get("cursor") === null;
      if (!isFirst) rmSync(dist, { recursive: true, force: true });
      const results = [{ chain: "ethereum", id: `0x${isFirst ? 1 : 2}` }];
      const page = { results, has_next_page: isFirst, next_cursor: isFirst ? "2" : "" };
      return json(isFirst || status === 200 ? page : { message: "invalid key" }, {
        status: isFirst ? 200 : status,
      });
    });
    const words = "pools search ethereum --all --page-size 1 --out rows.ndjson --receipt rows.json".split(
      " ",
    );
    const env = binaryEnv({ DEXDATA_BASE_URL: server.url });
    const child = spawn(process.execPath, [path.join(dist, "dexdata.cjs"), ...words], {
      cwd: folder,
      env,
      stdio: "pipe",
    });
    const { exit, stderr } = await ended(child);
    await server.close();
    return { exit, stderr, receipt: JSON.parse(readFileSync(path.join(folder, "rows.json"), "utf8")) };
  };

  test("it ends as usual, with its receipt", async () => {
    expect(await pull(200)).toMatchObject({ exit: 0, stderr: "", receipt: { rows: 2, complete: true } });
  });

  test("it fails as usual, with a sentence", async () => {
    const { exit, stderr, receipt } = await pull(401);
    expect(isReported(stderr)).toBe(true);
    expect({ exit, stderr }).toEqual({ exit: 4, stderr: expect.stringMatching(/^error: .+\n$/u) });
    expect(receipt).toMatchObject({ rows: 1, complete: false });
  });
});
