import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import {
  checkOutFile,
  checkpointOf,
  lockOf,
  partOf,
  targetOf,
  trueName,
  unwritable,
} from "../../../src/rows/out-file.ts";
import { temporaryFolder } from "../../harness/temporary-folder.ts";

const folder = temporaryFolder();
let count = 0;
function newFolder(): string {
  count += 1;
  const made = path.join(folder, String(count));
  mkdirSync(made);
  return made;
}
const OTHER = "name another file";

describe("a file", () => {
  test("has one name for every path, whether it exists or not", () => {
    const made = realpathSync(newFolder());
    const [there, none] = [path.join(made, "there"), path.join(made, "none")];
    const [link, other] = [path.join(made, "link"), path.join(made, "folder")];
    writeFileSync(there, "");
    symlinkSync(there, link);
    symlinkSync(made, other);
    const names = [there, link, path.join(other, "link"), none, path.join(other, "none")];
    expect(names.map(trueName)).toEqual([there, there, there, none, none]);
  });

  test("is found behind a link even if it does not exist yet", () => {
    const made = realpathSync(newFolder());
    const [link, second, target] = ["link", "second", "target"].map((name) => path.join(made, name));
    symlinkSync("target", link ?? "");
    symlinkSync(link ?? "", second ?? "");
    expect([targetOf(link ?? ""), targetOf(second ?? ""), targetOf("plain")]).toEqual([
      target,
      target,
      "plain",
    ]);
    expect(trueName(second ?? "")).toBe(target);
    expect([partOf("x"), checkpointOf("x"), lockOf("x")]).toEqual(["x.part", "x.resume", "x.lock"]);
  });
});

describe("a file is rejected before a request is sent", () => {
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
  const refusal = (file: string, mayExist: boolean, flag?: "--out" | "--receipt"): unknown => {
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
    [none, true, [`directory ${path.dirname(none)} does not exist`, "create it first, or name another file"]],
    [
      path.join(there, "x"),
      true,
      [`directory ${there} does not exist`, "create it first, or name another file"],
    ],
    [
      path.join(there, "x", "y"),
      true,
      [`directory ${path.join(there, "x")} does not exist`, "create it first, or name another file"],
    ],
    [path.join(made, "x".repeat(300)), true, ["cannot be written (file name too long)", OTHER]],
    [circle, true, ["cannot be written (too many symbolic links)", OTHER]],
    [made, true, ["must be a file, not a directory", "name a file in it"]],
    [link, true, ["must be a file, not a directory", "name a file in it"]],
    ["/dev/null", true, ["must be a regular file", "omit --out, or name a regular file"]],
  ] as const)("%s, where a file may exist: %s", (file, mayExist, expected) => {
    const [problem, next] = expected ?? [];
    expect(refusal(file, mayExist)).toEqual(
      problem === undefined
        ? undefined
        : [2, `${problem.startsWith("must") ? "invalid " : ""}--out "${file}": ${problem}`, next],
    );
  });

  test.each([there, broken])("%s, where no file may exist", (file) => {
    expect(refusal(file, false)).toEqual([
      2,
      `${file} already exists`,
      "use another file name, or overwrite the file with --force",
    ]);
  });

  test.each([
    ["--out", 227],
    ["--receipt", 234],
  ] as const)(
    "for %s, because the name of a related file would be too long: more than %i bytes",
    (flag, most) => {
      const long = path.join(made, `ö${"x".repeat(most - 2)}`);
      const longer = `${long}x`;
      expect(refusal(long, false, flag)).toBeUndefined();
      expect(refusal(longer, false, flag)).toEqual([
        2,
        `${flag} "${longer}": cannot be written (file name too long)`,
        `use a name of at most ${most} bytes; files such as FILE.resume have longer names`,
      ]);
      const to = path.join(made, `to-${flag}`);
      symlinkSync(longer, to);
      expect(refusal(to, true, flag)).toEqual([2, expect.stringContaining("too long"), expect.anything()]);
    },
  );

  test("and the error contains its flag", () => {
    expect(refusal(made, true, "--receipt")).toEqual([
      2,
      `invalid --receipt "${made}": must be a file, not a directory`,
      "name a file in it",
    ]);
  });

  test.each([
    [
      "EACCES",
      2,
      "usage",
      "permission denied",
      "check the permissions of the directory, or name another file",
    ],
    ["ENOSPC", 1, "output", "disk full", "free disk space, or write elsewhere"],
    ["EDQUOT", 1, "output", "disk quota exceeded", "free disk space, or write elsewhere"],
  ])("for %s, with exit %i and code %s", (fault, exit, code, why, next) => {
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
