import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { createMeter } from "../../../src/client/meter.ts";
import { createSeenKeys } from "../../../src/client/seen-keys.ts";
import { findInterrupted, type Interrupted } from "../../../src/rows/checkpoint.ts";
import { totalsOf } from "../../../src/rows/pull.ts";
import { openRowsFile } from "../../../src/rows/rows-file.ts";
import { createTestContext } from "../../harness/test-context.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";
import type { CheckpointHeader, PullTotals } from "../../../src/rows/checkpoint-lines.ts";

const folder = temporaryFolder();
let count = 0;
function newFile(): string {
  count += 1;
  const made = path.join(folder, String(count));
  mkdirSync(made);
  return path.join(made, "rows");
}
const near = (file: string): readonly string[] => readdirSync(path.dirname(file)).toSorted();
const digest = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
const { signal } = createTestContext();

const header = (changed: Partial<CheckpointHeader> = {}): CheckpointHeader => ({
  checkpoint: 4,
  rows: "part",
  mayReplace: false,
  query: {},
  now: 0,
  tier: "keyless",
  started: 0,
  ...changed,
});

interface Changed {
  readonly header?: CheckpointHeader;
  readonly lock?: { readonly isHeld: () => boolean; readonly path?: string };
}

/** With progress and hashes of its own in each line of the checkpoint, and without a cost of the run. */
async function grow(file: string, { header: begun = header(), lock }: Changed = {}, left?: Interrupted) {
  const interrupted = left && { ...left, header: begun };
  const totals: { -readonly [Name in keyof PullTotals]: PullTotals[Name] } = totalsOf(left?.progress);
  let added = "";
  const { meter } = createMeter();
  const rows = await openRowsFile(createTestContext(), {
    claim: {
      file,
      label: `--out "${file}"`,
      lock: {
        id: "",
        path: lock?.path ?? `${file}.lock`,
        release: () => undefined,
        isHeld: lock?.isHeld ?? (() => true),
      },
      interrupted,
      published: undefined,
      isUnproven: false,
    },
    to: {
      file,
      pattern: undefined,
      isResumed: begun.rows === "file",
      isForced: begun.mayReplace,
      receipt: undefined,
    },
    header: begun,
    inputs: 2,
    totals,
    seen: { ...createSeenKeys("all", true), takeAdded: () => added },
    canResume: true,
    encoder: undefined,
  });
  return {
    ...rows,
    checkpoint: async (hashes: string, progress: PullTotals): Promise<void> => {
      added = hashes;
      Object.assign(totals, progress);
      await rows.checkpoint(meter);
    },
    abort: async (): Promise<void> => await rows.abort(meter),
  };
}

/** The same file in the next run. */
async function growAgain(file: string, changed: Changed = {}) {
  const interrupted = await findInterrupted(file, signal);
  if (interrupted === undefined) throw new Error("nothing was left");
  return await grow(file, { header: interrupted.header, ...changed }, interrupted);
}

const account = (rows: number): PullTotals => ({ ...totalsOf(undefined), rows, rowsOfQuestion: rows });

/** All except the system's own error. */
async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  const thrown: unknown = await call().catch((cause: unknown) => cause);
  if (!(thrown instanceof Failure)) return thrown;
  const { cause: _, ...details } = thrown.details;
  return { message: thrown.message, ...details };
}

const changedSize = (file: string, found: number, expected: number): object => ({
  message: `${file} was changed by another program during the pull: it has ${found} bytes instead of ${expected}`,
  exit: 1,
  code: "output",
  retryable: false,
  isDamaged: true,
  next: "start over with --force",
});

const replaced = (file: string): object => ({
  message: `${file} was moved, deleted or replaced by another program during the pull`,
  exit: 1,
  code: "output",
  retryable: false,
  ...(existsSync(file) && { isDamaged: true, next: "start over with --force" }),
});

const modified = (file: string): object => ({
  message: `cannot resume ${file}: it was modified after the interruption`,
  exit: 2,
  code: "checkpoint",
  retryable: false,
  next: "start over with --force instead of --resume, or name another file",
});

/** The files below the directory that this process has open, as Linux reports them. */
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

test.runIf(existsSync("/proc/self/fd"))(
  "a file and its checkpoint are closed for every kind of ending",
  async () => {
    for (const rows of ["part", "file"] as const) {
      for (const end of ["abort", "commit"] as const) {
        const file = newFile();
        const base = realpathSync(path.dirname(file));
        const first = await grow(file, { header: header({ rows }) });
        expect(openBelow(base)).toEqual([]);
        await first.sink.write("a\n");
        await first.checkpoint("", account(1));
        expect(openBelow(base)).toHaveLength(2);
        await first.abort();
        expect(openBelow(base), `${rows}, first`).toEqual([]);
        const second = await growAgain(file);
        expect(openBelow(base)).toHaveLength(2);
        await second[end]();
        expect(openBelow(base), `${rows}, ${end}`).toEqual([]);
      }
    }
  },
);

describe("without --resume", () => {
  test("rows are written to FILE.part next to FILE.resume, and become FILE at the end", async () => {
    const file = newFile();
    const growing = await grow(file);
    expect([near(file), growing.rowsAt()]).toEqual([[], `${file}.part`]);
    await growing.sink.write("größe\n");
    await growing.sink.write(Buffer.from([0xff, 0x0a]));
    await growing.checkpoint("", account(1));
    expect([near(file), growing.canContinue()]).toEqual([["rows.part", "rows.resume"], true]);
    await growing.commit();
    expect([near(file), growing.rowsAt()]).toEqual([["rows", "rows.resume"], file]);
    growing.removeCheckpoint();
    expect(near(file)).toEqual(["rows"]);
    const bytes = Buffer.concat([Buffer.from("größe\n"), Buffer.from([0xff, 0x0a])]);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect([growing.sink.bytes(), growing.sink.sha256()]).toEqual([bytes.length, digest(bytes)]);
  });

  test("an output without rows is an empty file", async () => {
    const file = newFile();
    const growing = await grow(file);
    await growing.commit();
    growing.removeCheckpoint();
    expect([near(file), readFileSync(file, "utf8"), growing.sink.sha256()]).toEqual([
      ["rows"],
      "",
      digest(""),
    ]);
  });

  test("a run that fails before rows were recorded leaves no files", async () => {
    const file = newFile();
    const untouched = await grow(file);
    await untouched.abort();
    const begun = await grow(file);
    await begun.sink.write("a\n");
    await begun.abort();
    expect([near(file), begun.canContinue(), begun.rowsAt()]).toEqual([[], false, file]);
  });

  test("requests without rows are remembered with --resume only", async () => {
    for (const rows of ["file", "part"] as const) {
      const file = newFile();
      const growing = await grow(file, { header: header({ rows }) });
      await growing.checkpoint("", { ...account(0), question: 2 });
      await growing.abort();
      expect(near(file)).toEqual(rows === "file" ? ["rows", "rows.resume"] : []);
      const left = await findInterrupted(file, signal);
      expect(left?.progress?.question).toBe(rows === "file" ? 2 : undefined);
    }
  });

  test("answers that precede the first row survive a kill", async () => {
    for (const rows of ["file", "part"] as const) {
      const file = newFile();
      const growing = await grow(file, { header: header({ rows }) });
      await growing.checkpoint("answers", account(0));
      expect(near(file)).toEqual([rows === "file" ? "rows" : "rows.part", "rows.resume"]);
      const killed = await findInterrupted(file, signal);
      expect(killed?.seen).toEqual(["answers"]);
      await growing.abort();
    }
  });

  test("a process that has lost the lock does not remove the files", async () => {
    const file = newFile();
    let isHeld = true;
    const growing = await grow(file, { lock: { isHeld: () => isHeld } });
    await growing.sink.write("a\n");
    isHeld = false;
    await growing.abort();
    expect(near(file)).toEqual(["rows.part", "rows.resume"]);
  });

  test("ending in a directory that has become inaccessible throws no error that would hide the cause", async () => {
    const file = newFile();
    let isClosed = false;
    const isHeld = (): boolean => {
      if (isClosed) throw new Error("EACCES");
      return true;
    };
    const growing = await grow(file, { lock: { isHeld } });
    await growing.sink.write("a\n");
    isClosed = true;
    await growing.abort();
    expect(near(file)).toEqual(["rows.part", "rows.resume"]);
  });

  test("the checkpoint of another run that took the lock after the end stays", async () => {
    const file = newFile();
    let isHeld = true;
    const growing = await grow(file, { lock: { isHeld: () => isHeld } });
    await growing.commit();
    isHeld = false;
    growing.removeCheckpoint();
    expect(near(file)).toEqual(["rows", "rows.resume"]);
  });

  test.each(["the first row", "a page", "the end"])(
    "losing the lock before %s ends the run",
    async (moment) => {
      const file = newFile();
      let isHeld = true;
      const growing = await grow(file, { lock: { isHeld: () => isHeld } });
      const pull = async (): Promise<void> => {
        isHeld = moment !== "the first row";
        await growing.sink.write("a\n");
        isHeld = moment !== "a page";
        await growing.checkpoint("", account(1));
        isHeld = false;
        await growing.commit();
      };
      expect(await failureOf(pull)).toEqual({
        message: `${file}.lock was removed or taken over by another process during the run`,
        exit: 1,
        code: "output",
        retryable: true,
      });
      await growing.abort();
      expect(existsSync(file)).toBe(false);
    },
  );

  test("a run that has lost the lock adds no page to a file that another run may have finished", async () => {
    const file = newFile();
    let isHeld = true;
    // The staged rows of sync have no lock of their own.
    const lock = { isHeld: () => isHeld, path: path.join(path.dirname(file), "lock") };
    const growing = await grow(file, { header: header({ rows: "file" }), lock });
    await growing.sink.write("a\n");
    await growing.checkpoint("", account(1));
    isHeld = false;
    expect(await failureOf(async () => await growing.sink.write("b\n"))).toMatchObject({
      message: `${lock.path} was removed or taken over by another process during the run`,
    });
    await growing.abort();
    expect(readFileSync(file, "utf8")).toBe("a\n");
  });

  test("replaces FILE only if allowed, and keeps the rows otherwise", async () => {
    const file = newFile();
    const growing = await grow(file);
    await growing.sink.write("new\n");
    await growing.checkpoint("", account(1));
    writeFileSync(file, "old\n");
    expect(await failureOf(async () => await growing.commit())).toEqual({
      message: `cannot write ${file}: another program created it during the pull; the rows are complete in ${file}.part`,
      exit: 1,
      code: "output",
      retryable: false,
      next: `move ${file} out of the way`,
    });
    expect([readFileSync(file, "utf8"), readFileSync(`${file}.part`, "utf8")]).toEqual(["old\n", "new\n"]);
    const replacing = await growAgain(file, { header: header({ mayReplace: true }) });
    await replacing.commit();
    expect(readFileSync(file, "utf8")).toBe("new\n");
  });

  test("the permissions of FILE follow the umask", async () => {
    const file = newFile();
    const growing = await grow(file);
    await growing.commit();
    expect(statSync(file).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test.each(["600", "640", "666"])(
    "the file and its .part have the mode %s of the file they replace",
    async (digits) => {
      const mode = Number.parseInt(digits, 8);
      const file = newFile();
      writeFileSync(file, "old\n");
      chmodSync(file, mode);
      const growing = await grow(file, { header: header({ mayReplace: true }) });
      await growing.sink.write("new\n");
      expect(statSync(`${file}.part`).mode & 0o777).toBe(mode);
      await growing.commit();
      expect(statSync(file).mode & 0o777).toBe(mode);
    },
  );

  test("a missing directory is an error", async () => {
    const file = path.join(folder, "none", "rows");
    expect(await failureOf(async () => await (await grow(file)).commit())).toMatchObject({
      message: `${file}.resume cannot be written (no such directory)`,
      exit: 1,
    });
  });

  test("a failed write to disk is reported as such", async () => {
    const file = newFile();
    const growing = await grow(file);
    await growing.commit();
    expect(await failureOf(async () => await growing.sink.write("late\n"))).toEqual({
      message: `--out "${file}": cannot be written (EBADF)`,
      exit: 1,
      code: "output",
      retryable: false,
      next: undefined,
    });
  });
});

/** Actions of other programs on a file that is being written: each must end the run with exit 1. */
const interferences: Readonly<Record<string, (file: string) => { readonly size: number } | "replaced">> = {
  truncates: (file) => {
    truncateSync(file, 3);
    return { size: 3 };
  },
  empties: (file) => {
    truncateSync(file, 0);
    return { size: 0 };
  },
  extends: (file) => {
    const { size } = statSync(file);
    appendFileSync(file, "more\n");
    return { size: size + 5 };
  },
  deletes: (file) => {
    rmSync(file);
    return "replaced";
  },
  moves: (file) => {
    renameSync(file, `${file}.moved`);
    return "replaced";
  },
  "replaces by the same text": (file) => {
    writeFileSync(`${file}.copy`, readFileSync(file));
    renameSync(`${file}.copy`, file);
    return "replaced";
  },
  "replaces by a link to itself": (file) => {
    renameSync(file, `${file}.moved`);
    symlinkSync(`${file}.moved`, file);
    return "replaced";
  },
};

describe("another program", () => {
  for (const rows of ["part", "file"] as const) {
    for (const [what, interfere] of Object.entries(interferences)) {
      // After one of four pages of 4 bytes each; the last case is before the end.
      test.each([1, 2, 3, 4])(`that ${what} the rows, in the ${rows}, after page %i`, async (moment) => {
        const file = newFile();
        const growing = await grow(file, { header: header({ rows }) });
        const at = rows === "part" ? `${file}.part` : file;
        let outcome: ReturnType<typeof interfere> | undefined;
        const pull = async (): Promise<void> => {
          for (let page = 1; page <= 4; page += 1) {
            await growing.sink.write(`${page}00\n`);
            await growing.checkpoint("", account(page));
            if (page === moment) outcome = interfere(at);
          }
          await growing.commit();
        };
        const failure = await failureOf(pull);
        await growing.abort();
        // Rows are appended, so the file contains the next page too.
        const isLast = moment === 4;
        const [added, expected] = [isLast ? 0 : 4, isLast ? 16 : 4 * (moment + 1)];
        expect(failure).toEqual(
          typeof outcome === "object" ? changedSize(at, outcome.size + added, expected) : replaced(at),
        );
        if (rows === "part") expect(existsSync(file)).toBe(false);
      });
    }
  }

  test("that truncated the rows destroys only those rows: the next run continues before them", async () => {
    const file = newFile();
    const growing = await grow(file);
    for (let page = 1; page <= 4; page += 1) {
      await growing.sink.write(`${page}00\n`);
      await growing.checkpoint("", account(page));
    }
    truncateSync(`${file}.part`, 9);
    expect(await failureOf(async () => await growing.commit())).toEqual(changedSize(`${file}.part`, 9, 16));
    const again = await growAgain(file);
    expect(again.sink.bytes()).toBe(8);
    await again.sink.write("300\n400\n");
    await again.commit();
    expect(readFileSync(file, "utf8")).toBe("100\n200\n300\n400\n");
  });
});

describe("a later run", () => {
  test("continues after the recorded rows, at any byte, with a hash over the entire file", async () => {
    for (const rows of ["part", "file"] as const) {
      for (let torn = 0; torn <= 4; torn += 1) {
        const file = newFile();
        const first = await grow(file, { header: header({ rows }) });
        await first.sink.write("größe\n");
        await first.checkpoint("", account(1));
        await first.sink.write("next\n".slice(0, torn));
        await first.abort();
        const second = await growAgain(file);
        await second.sink.write("c\n");
        await second.commit();
        expect(readFileSync(file, "utf8")).toBe("größe\nc\n");
        expect([second.sink.bytes(), second.sink.sha256()]).toEqual([10, digest("größe\nc\n")]);
      }
    }
  });

  test("rejects rows that another program modified", async () => {
    const file = newFile();
    const first = await grow(file);
    await first.sink.write("a\nb\n");
    await first.checkpoint("", account(2));
    await first.abort();
    writeFileSync(`${file}.part`, "a\nc\n");
    expect(await failureOf(async () => await growAgain(file))).toEqual(modified(file));
  });

  /** A pull whose two rows are complete, before its checkpoint is removed. */
  async function completed(file: string): Promise<void> {
    const growing = await grow(file);
    await growing.sink.write("a\nb\n");
    await growing.checkpoint("", account(2));
    await growing.commit();
  }

  test("finds rows already renamed before kill -9, with one name or both", async () => {
    for (const hasBoth of [false, true]) {
      const file = newFile();
      await completed(file);
      if (hasBoth) linkSync(file, `${file}.part`);
      expect(await findInterrupted(file, signal)).toMatchObject({ rowsAt: file, progress: { rows: 2 } });
      const again = await growAgain(file);
      await again.commit();
      again.removeCheckpoint();
      expect([near(file), readFileSync(file, "utf8")]).toEqual([["rows"], "a\nb\n"]);
    }
  });

  test("rejects a complete file to which another program has added rows, and does not change it", async () => {
    for (const rows of ["part", "file"] as const) {
      const file = newFile();
      const growing = await grow(file, { header: header({ rows }) });
      await growing.sink.write("[1");
      await growing.checkpoint("", account(1));
      await growing.sink.write("]\n");
      await growing.commit();
      expect(await findInterrupted(file, signal)).toMatchObject({ rowsAt: file, progress: { bytes: 2 } });
      appendFileSync(file, "more\n");
      expect(await failureOf(async () => await findInterrupted(file, signal))).toEqual(modified(file));
      expect(readFileSync(file, "utf8")).toBe("[1]\nmore\n");
    }
  });

  test("rejects another file with that name, shorter than its first page, and does not change it", async () => {
    const file = newFile();
    const growing = await grow(file, { header: header({ rows: "file" }) });
    await growing.checkpoint("", account(0));
    await growing.sink.write("longer than notes\n");
    await growing.checkpoint("", account(1));
    await growing.abort();
    writeFileSync(file, "my notes\n");
    expect(await failureOf(async () => await findInterrupted(file, signal))).toEqual(modified(file));
    expect(readFileSync(file, "utf8")).toBe("my notes\n");
    truncateSync(file);
    expect(await findInterrupted(file, signal)).toMatchObject({ rowsAt: file });
  });

  test("does not mistake another file with that name for its rows", async () => {
    const file = newFile();
    await completed(file);
    writeFileSync(file, "c\nd\n");
    expect(await findInterrupted(file, signal)).toBeUndefined();
    expect(readFileSync(file, "utf8")).toBe("c\nd\n");
  });

  test("removes the .part file of a run without recorded rows", async () => {
    for (const rows of ["part", "file"] as const) {
      const file = newFile();
      const killed = await grow(file);
      await killed.sink.write("a\n");
      const again = await grow(file, { header: header({ rows }) });
      await again.sink.write("b\n");
      await again.commit();
      again.removeCheckpoint();
      expect([near(file), readFileSync(file, "utf8")]).toEqual([["rows"], "b\n"]);
      await killed.commit().catch(() => undefined);
    }
  });

  test("finds no pull to continue if the rows were deleted or never recorded", async () => {
    const file = newFile();
    const growing = await grow(file);
    await growing.sink.write("a\n");
    expect(await findInterrupted(file, signal)).toBeUndefined();
    await growing.checkpoint("", account(1));
    expect(await findInterrupted(file, signal)).toMatchObject({ rowsAt: `${file}.part` });
    rmSync(`${file}.part`);
    expect(await findInterrupted(file, signal)).toBeUndefined();
    await growing.abort();
  });

  test.each(["part", "resume"])(
    "rejects a link in place of FILE.%s and does not change its target",
    async (name) => {
      const file = newFile();
      const first = await grow(file);
      await first.sink.write("a\n");
      await first.checkpoint("", account(1));
      await first.abort();
      renameSync(`${file}.${name}`, `${file}.precious`);
      symlinkSync(`${file}.precious`, `${file}.${name}`);
      const before = readFileSync(`${file}.precious`);
      expect(await failureOf(async () => await growAgain(file))).toEqual({
        message: `${file}.${name} is not a regular file`,
        exit: 2,
        code: "usage",
        retryable: false,
        next: "move it out of the way",
      });
      expect(readFileSync(`${file}.precious`).equals(before)).toBe(true);
    },
  );
});

describe("links planted by another user", () => {
  test("are not followed: a link in place of the checkpoint is replaced", async () => {
    const file = newFile();
    writeFileSync(`${file}.precious`, "precious");
    symlinkSync(`${file}.precious`, `${file}.resume`);
    const growing = await grow(file);
    await growing.sink.write("a\n");
    await growing.checkpoint("", account(1));
    await growing.commit();
    growing.removeCheckpoint();
    expect([readFileSync(`${file}.precious`, "utf8"), readFileSync(file, "utf8")]).toEqual([
      "precious",
      "a\n",
    ]);
    expect(near(file)).toEqual(["rows", "rows.precious"]);
  });

  test.each([
    ["part", "rows.part is not a regular file"],
    ["file", "rows was created by another program during the pull"],
  ] as const)("just before the first row end the run: %s", async (rows, message) => {
    const file = newFile();
    const growing = await grow(file, { header: header({ rows }) });
    writeFileSync(`${file}.precious`, "precious");
    symlinkSync(`${file}.precious`, rows === "file" ? file : `${file}.part`);
    const before = near(file);
    await expect(growing.sink.write("a\n")).rejects.toThrow(message);
    await growing.abort();
    expect([readFileSync(`${file}.precious`, "utf8"), near(file)]).toEqual(["precious", before]);
  });
});
