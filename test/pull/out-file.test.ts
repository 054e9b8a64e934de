import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { pid } from "node:process";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import {
  checkOutFile,
  continueFile,
  createWholeFile,
  hashOf,
  lockOf,
  sizeOf,
  toOutput,
  trueName,
  unwritable,
} from "../../src/pull/out-file.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
let count = 0;
function newFolder(): string {
  count += 1;
  const made = path.join(folder, String(count));
  mkdirSync(made);
  return made;
}
const newFile = (): string => path.join(newFolder(), "rows");
const MAKE = "make the folder first, or name another file";
const OTHER = "name another file";
const digest = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");

/** Which files below the folder this process holds open; Linux tells. */
function openBelow(base: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${number}`);
      return file.startsWith(base) ? [file] : [];
    } catch {
      return [];
    }
  });
}

test.runIf(existsSync("/proc/self/fd"))("a file is closed however its writing ends", async () => {
  const base = realpathSync(newFolder());
  const open = {
    new: async () => await createWholeFile(path.join(base, "new"), false, false),
    replaced: async () => await createWholeFile(path.join(base, "new"), true, false),
    continued: async () => await continueFile(path.join(base, "new"), 2),
  };
  for (const [name, sink] of Object.entries(open)) {
    for (const end of ["abandon", "finish"] as const) {
      if (name === "continued") writeFileSync(path.join(base, "new"), "a\n");
      const { write, [end]: close } = await sink();
      await write("b\n");
      expect(openBelow(base), name).toHaveLength(1);
      await close();
      expect(openBelow(base), `${name}, ${end}`).toEqual([]);
    }
  }
});

describe("a file that is whole or absent", () => {
  test("appears at its end, counted and hashed", async () => {
    const file = newFile();
    const sink = await createWholeFile(file, false, true);
    await sink.write("größe\n");
    await sink.write(Buffer.from([0xff, 0x0a]));
    expect(existsSync(file)).toBe(false);
    await sink.finish();
    const bytes = Buffer.concat([Buffer.from("größe\n"), Buffer.from([0xff, 0x0a])]);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect([sink.bytes(), sink.sha256()]).toEqual([bytes.length, digest(bytes)]);
    expect(readdirSync(path.dirname(file))).toEqual(["rows"]);
  });

  test("that can no longer be written is a failure of the disk, not of the command", async () => {
    const file = newFile();
    const sink = await createWholeFile(file, false, false);
    await sink.finish();
    const thrown: unknown = await sink.write("late\n").catch((cause: unknown) => cause);
    expect(thrown).toMatchObject({
      message: `--out "${file}": cannot be written (EBADF)`,
      details: { exit: 1, code: "output", retryable: false },
    });
  });

  test("is not there when it is given up, nor is its part", async () => {
    const file = newFile();
    const sink = await createWholeFile(file, false, false);
    await sink.write("a\n");
    expect(readdirSync(path.dirname(file))).toEqual([`rows.${pid}.part`]);
    await sink.abandon();
    expect(readdirSync(path.dirname(file))).toEqual([]);
    expect(() => sink.sha256()).toThrow("this output is not hashed");
    const cleared = await createWholeFile(file, false, false);
    // Somebody may have taken the part away.
    rmSync(`${file}.${pid}.part`);
    await cleared.abandon();
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  test("replaces another only where it may, and keeps its rows else", async () => {
    const file = newFile();
    writeFileSync(file, "old\n");
    const replacing = await createWholeFile(file, true, false);
    await replacing.write("new\n");
    await replacing.finish();
    expect(readFileSync(file, "utf8")).toBe("new\n");
    const late = await createWholeFile(file, false, false);
    await late.write("late\n");
    const part = `${file}.${pid}.part`;
    const refused = new Failure(
      `--out "${file}": another process has made it meanwhile; the rows are whole in ${part}`,
      {
        exit: 1,
        code: "output",
        retryable: false,
        next: `mv ${part} to a name of your choice`,
      },
    );
    const cause: unknown = await late.finish().catch((thrown: unknown) => thrown);
    expect(cause).toMatchObject({ message: refused.message, details: refused.details });
    expect([readFileSync(file, "utf8"), readFileSync(part, "utf8")]).toEqual(["new\n", "late\n"]);
  });

  test.each([false, true])(
    "whose part somebody took away says that its rows are lost; may replace: %s",
    async (mayReplace) => {
      const file = newFile();
      const sink = await createWholeFile(file, mayReplace, false);
      await sink.write("a\n");
      const part = `${file}.${pid}.part`;
      rmSync(part);
      const thrown: unknown = await sink.finish().catch((cause: unknown) => cause);
      expect(thrown).toMatchObject({
        message: `--out "${file}": ${part} was taken away, and the rows with it`,
        details: { exit: 1, code: "output", retryable: true, next: "run the same command again" },
      });
      expect(readdirSync(path.dirname(file))).toEqual([]);
    },
  );

  test.each([
    ["deleted", (file: string): void => rmSync(file)],
    ["moved", (file: string): void => renameSync(file, `${file}.moved`)],
  ])("that goes on is a failure where its file was %s meanwhile", async (_, take) => {
    const file = newFile();
    writeFileSync(file, "a\n");
    const sink = await continueFile(file, 2);
    await sink.write("b\n");
    take(file);
    const thrown: unknown = await sink.finish().catch((cause: unknown) => cause);
    expect(thrown).toMatchObject({
      message: `--out "${file}": the file was moved or taken away while rows were written to it`,
      details: { exit: 1, code: "output", retryable: true },
    });
  });

  test("may be read and written by whom the umask lets, and run by nobody", async () => {
    const file = newFile();
    const sink = await createWholeFile(file, false, false);
    await sink.finish();
    expect(statSync(file).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test.each(["600", "640", "666"])(
    "has the mode %s of the file it replaces, and so its part",
    async (digits) => {
      const mode = Number.parseInt(digits, 8);
      const file = newFile();
      writeFileSync(file, "old\n");
      chmodSync(file, mode);
      const sink = await createWholeFile(file, true, false);
      expect(statSync(`${file}.${pid}.part`).mode & 0o777).toBe(mode);
      await sink.finish();
      expect(statSync(file).mode & 0o777).toBe(mode);
    },
  );

  test("through a link replaces what the link leads to", async () => {
    const [file, link] = [newFile(), newFile()];
    writeFileSync(file, "old\n");
    symlinkSync(file, link);
    const sink = await createWholeFile(link, true, false);
    await sink.write("new\n");
    await sink.finish();
    expect(readFileSync(file, "utf8")).toBe("new\n");
    expect(readdirSync(path.dirname(link), { withFileTypes: true })[0]?.isSymbolicLink()).toBe(true);
  });

  test("has one name, whichever way it is reached and whether it is there or not", () => {
    const made = realpathSync(newFolder());
    const [there, none] = [path.join(made, "there"), path.join(made, "none")];
    const [link, other] = [path.join(made, "link"), path.join(made, "folder")];
    writeFileSync(there, "");
    symlinkSync(there, link);
    symlinkSync(made, other);
    const names = [there, link, path.join(other, "link"), none, path.join(other, "none")];
    expect(names.map(trueName)).toEqual([there, there, there, none, none]);
  });

  test("in a folder that is not there is refused", async () => {
    const file = path.join(folder, "none", "rows");
    const thrown: unknown = await createWholeFile(file, false, false).catch((cause: unknown) => cause);
    expect(thrown).toMatchObject({
      message: `--out "${file}": cannot be written (no such folder)`,
      details: {
        exit: 2,
        code: "usage",
        retryable: false,
        next: MAKE,
      },
    });
  });
});

describe("a file that goes on", () => {
  test("is cut behind what is accounted for, at any byte, and hashed as a whole", async () => {
    const file = newFile();
    const before = "größe\nb\n";
    for (let bytes = 0; bytes <= Buffer.byteLength(before); bytes += 1) {
      writeFileSync(file, before);
      const sink = await continueFile(file, bytes);
      await sink.write("c\n");
      await sink.finish();
      const expected = Buffer.concat([Buffer.from(before).subarray(0, bytes), Buffer.from("c\n")]);
      expect(readFileSync(file).equals(expected)).toBe(true);
      expect([sink.bytes(), sink.sha256()]).toEqual([bytes + 2, digest(expected)]);
    }
  });

  test("keeps what it has when it is given up", async () => {
    const file = newFile();
    const sink = await continueFile(file, 0);
    await sink.write("a\n");
    await sink.abandon();
    expect([readFileSync(file, "utf8"), sizeOf(file), sizeOf(`${file}x`)]).toEqual(["a\n", 2, undefined]);
    expect((await hashOf(file, 1)).digest("hex")).toBe(digest("a"));
    expect((await hashOf("/nowhere", 0)).digest("hex")).toBe(digest(""));
  });
});

test("an output that is no file is counted, and hashed where that is wanted", async () => {
  const written: (string | Uint8Array)[] = [];
  const write = (text: string | Uint8Array): Promise<void> => {
    written.push(text);
    return Promise.resolve();
  };
  const sink = toOutput({ write, isTerminal: false, columns: 80 }, true);
  await sink.write("ö\n");
  await sink.finish();
  await sink.abandon();
  expect([written, sink.bytes(), sink.sha256()]).toEqual([["ö\n"], 3, digest("ö\n")]);
});

describe("a file is refused before anything is sent", () => {
  const made = newFolder();
  const [there, link, broken] = [
    path.join(made, "there"),
    path.join(made, "link"),
    path.join(made, "broken"),
  ];
  writeFileSync(there, "");
  chmodSync(there, 0o600);
  symlinkSync(made, link);
  symlinkSync(path.join(made, "nowhere"), broken);
  const circle = path.join(made, "circle");
  symlinkSync(circle, circle);
  const refusal = (file: string, mayExist: boolean, flag?: string): unknown => {
    try {
      checkOutFile(file, mayExist, flag);
      return undefined;
    } catch (cause) {
      return cause instanceof Failure ? [cause.exit, cause.message, cause.details.next] : cause;
    }
  };
  const none = path.join(made, "none", "file");

  test.each([
    [path.join(made, "new"), false, undefined],
    [there, true, undefined],
    [broken, true, undefined],
    [
      there,
      false,
      [`exists`, "go on with a pull that was interrupted by --resume, or replace the file by --force"],
    ],
    [
      broken,
      false,
      [`exists`, "go on with a pull that was interrupted by --resume, or replace the file by --force"],
    ],
    [none, true, [`there is no folder ${path.dirname(none)}`, "make it first, or name another file"]],
    [path.join(there, "x"), true, [`there is no folder ${there}`, "make it first, or name another file"]],
    [
      path.join(there, "x", "y"),
      true,
      [`there is no folder ${path.join(there, "x")}`, "make it first, or name another file"],
    ],
    [path.join(made, "x".repeat(300)), true, ["cannot be written (the name is too long)", OTHER]],
    [circle, true, ["cannot be written (its links lead in a circle)", OTHER]],
    [made, true, ["is a folder", "name a file in it"]],
    [link, true, ["is a folder", "name a file in it"]],
    ["/dev/null", true, ["is no regular file", "leave --out out, or name a regular file"]],
  ] as const)("%s, where another may be there: %s", (file, mayExist, expected) => {
    const [problem, next] = expected ?? [];
    expect(refusal(file, mayExist)).toEqual(
      problem === undefined ? undefined : [2, `--out "${file}": ${problem}`, next],
    );
  });

  test("with the flag that named it", () => {
    expect(refusal(made, true, "--receipt")).toEqual([
      2,
      `--receipt "${made}": is a folder`,
      "name a file in it",
    ]);
    expect(lockOf("x")).toBe("x.lock");
  });

  test.each([
    ["EACCES", 2, "usage", "not permitted", "check the folder's permissions, or name another file"],
    ["ENOSPC", 1, "output", "the disk is full", "make room, or write elsewhere"],
    ["EDQUOT", 1, "output", "this user's share of the disk is full", "make room, or write elsewhere"],
  ])("for %s, with the exit %i and the code %s", (fault, exit, code, why, next) => {
    const cause = Object.assign(new Error("refused"), { code: fault });
    const { message, details } = unwritable('--out "x"', cause);
    expect({ message, ...details }).toEqual({
      message: `--out "x": cannot be written (${why})`,
      exit,
      code,
      retryable: false,
      next,
      cause,
    });
  });
});
