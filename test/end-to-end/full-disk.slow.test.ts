import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { binaryEnv, type Ended, ended, program } from "../harness/binary.ts";
import { dexdata } from "../harness/dexdata.ts";
import { fieldOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const full = "cannot write output: disk full";
const advice = "  hint: free disk space, or write elsewhere\n";
const large = "  hint: raise the file size limit (ulimit -f), or write elsewhere\n";
const asset = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY, dialect: "public" });

/** A shell line in which `dexdata` runs the program, which uses the sandbox of this file. */
async function shell(line: string): Promise<Ended> {
  const settings = { DEXDATA_ERROR_FORMAT: "text", ...sandbox.env() };
  const env = { ...binaryEnv(settings), NODE: process.execPath, PROGRAM: program };
  const script = `dexdata() { "$NODE" "$PROGRAM" "$@"; }; ${line}`;
  return await ended(spawn("bash", ["-c", script], { env, stdio: "pipe" }));
}

const linesOf = (text: string | Uint8Array): readonly string[] =>
  String(text)
    .split("\n")
    .filter((line) => line !== "");

describe.runIf(existsSync("/dev/full"))("full stdout", () => {
  test.each([
    ["networks -o ndjson"],
    ["networks -o table"],
    ["networks -o json"],
    ["networks -o csv"],
    ["pool ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 -o wide"],
    [`stream ${asset} --sandbox --limit 1`],
    ["doctor --sandbox --no-stream"],
    ["config list"],
    ["completion bash"],
    ["--help"],
  ])("%s: one clear message, exit 1", async (words) => {
    const { exit, stderr } = await shell(`dexdata ${words} --error-format text > /dev/full`);
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: `error: ${full}\n${advice}` });
  });

  test("Parquet, which cannot be read without its end", async () => {
    const { exit, stderr } = await shell("dexdata networks -o parquet --error-format text > /dev/full");
    const again = "dexdata networks --output parquet --error-format text";
    expect(exit).toBe(1);
    expect(stderr).toContain(`error: ${full}; 36 rows fetched\n`);
    expect(stderr).toContain(
      `without its end, parquet output cannot be read; try again: ${again.slice(0, 16)}`,
    );
  });

  test.each(["--version", "--help"])("%s: JSON in a pipe", async (words) => {
    const { exit, stderr } = await shell(`dexdata ${words} > /dev/full`);
    expect([exit, JSON.parse(stderr)]).toEqual([1, expect.objectContaining({ message: full })]);
  });

  test("a full stderr changes neither rows nor exit code", async () => {
    const { exit, stdout } = await shell("dexdata networks -o ndjson --limit 1 --stats 2> /dev/full");
    expect({ exit, rows: String(stdout).split("\n").length }).toEqual({ exit: 0, rows: 2 });
    expect((await shell("dexdata networks --limt 1 2> /dev/full")).exit).toBe(2);
  });

  test.each(["--out", "--receipt"])(
    "%s /dev/full is rejected as not a file, and no request is sent",
    async (flag) => {
      sandbox.takeLog();
      const { exit, stdout, stderr } = await shell(`dexdata networks --error-format text ${flag} /dev/full`);
      expect({ exit, stdout: String(stdout) }).toEqual({ exit: 2, stdout: "" });
      expect(sandbox.takeLog()).toEqual([]);
      expect(stderr).toContain(`error: invalid ${flag} "/dev/full": must be a regular file\n`);
    },
  );

  test.each([
    `stream ${asset}`,
    "txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --follow --from -1h",
  ])("%s --events /dev/full is reported once, and the run continues", async (words) => {
    const { exit, stdout, stderr } = await shell(`dexdata ${words} --sandbox --limit 2 --events /dev/full`);
    expect({ exit, events: String(stdout).trim().split("\n").length }).toEqual({ exit: 0, events: 2 });
    expect(
      stderr.match(/--events "\/dev\/full": cannot be written \(disk full\); the run continues/gu),
    ).toHaveLength(1);
  });
});

/** A limit of 128 KiB per file is as close to a full disk as a test can get without its own device. */
describe.runIf(process.platform === "linux")("full disk", () => {
  const pull =
    "dexdata txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --from -1d --limit 500 " +
    "--rpm unlimited --now 2026-11-21T08:54:00Z --error-format text";
  const uninterrupted = temporaryFolder();
  const wholeFile = (name: string): Buffer => readFileSync(path.join(uninterrupted, name));

  beforeAll(async () => {
    for (const name of ["rows.ndjson", "rows.ndjson.gz", "rows.parquet"])
      expect((await shell(`${pull} --out ${uninterrupted}/${name}`)).exit).toBe(0);
  });

  test("keeps the rows that --resume needs, and the same command continues the pull", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "rows.ndjson");
    const cut = await shell(`ulimit -f 128; ${pull} --out ${file} --resume --receipt ${file}.receipt.json`);
    expect({ exit: cut.exit, stdout: String(cut.stdout) }).toEqual({ exit: 1, stdout: "" });
    expect(cut.stderr).toMatch(
      /^error: --out ".*": cannot be written \(file too large\); \d+ rows written\n {2}hint: raise the file size limit \(ulimit -f\), or write elsewhere; continue: dexdata /u,
    );
    const receipt: unknown = JSON.parse(readFileSync(`${file}.receipt.json`, "utf8"));
    expect(receipt).toMatchObject({
      complete: false,
      exit: 1,
      why_not: expect.stringContaining("file too large"),
    });
    const next = await shell(`${pull} --out ${file} --resume`);
    expect({ exit: next.exit, stderr: next.stderr }).toMatchObject({ exit: 0 });
    expect(readFileSync(file).equals(wholeFile("rows.ndjson"))).toBe(true);
  });

  test("keeps the rows of a pull without --resume too, and the printed command continues it", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "rows.ndjson");
    const { exit, stderr } = await shell(`ulimit -f 128; ${pull} --out ${file}`);
    expect({ exit, left: readdirSync(folder).toSorted() }).toEqual({
      exit: 1,
      left: ["rows.ndjson.part", "rows.ndjson.resume"],
    });
    const printed =
      /^error: --out ".*": cannot be written \(file too large\); \d+ rows written\n {2}hint: raise the file size limit \(ulimit -f\), or write elsewhere; continue: (dexdata .*--resume.*)\n$/u.exec(
        stderr,
      )?.[1];
    expect((await shell(printed ?? "false")).exit).toBe(0);
    expect(readFileSync(file).equals(wholeFile("rows.ndjson"))).toBe(true);
  });

  test("while files by hour are being made keeps all rows, and the printed command makes the files", async () => {
    const folder = temporaryFolder();
    const out = path.join(folder, "{date-hour}.ndjson");
    const first = path.join(folder, "2026-11-21T08.ndjson");
    // A file that another program creates keeps the first run from finishing.
    expect((await shell(`echo x > ${first}; ${pull} --out '${out}'`)).exit).toBe(1);
    const { exit, stderr } = await shell(`rm ${first}; ulimit -f 16; ${pull} --out '${out}' --resume`);
    const left = [expect.stringMatching(/^\.rows-.*\.part$/u), expect.stringMatching(/^\.rows-.*\.resume$/u)];
    expect({ exit, left: readdirSync(folder).toSorted() }).toEqual({ exit: 1, left });
    const printed = /500 rows written\n {2}hint: raise .*; continue: (dexdata .*--resume.*)\n$/u.exec(
      stderr,
    )?.[1];
    expect((await shell(printed ?? "false")).exit).toBe(0);
    const hours = readdirSync(folder).filter((name) => name.startsWith("2026"));
    expect(hours.length).toBeGreaterThan(1);
    const made = hours
      .toSorted()
      .toReversed()
      .map((name) => readFileSync(path.join(folder, name), "utf8"));
    expect(made.join("")).toBe(wholeFile("rows.ndjson").toString("utf8"));
  });

  test("the message names the path of --out as it was typed, and the file of a sync", async () => {
    const folder = temporaryFolder();
    const out = path.join(folder, "{date}.ndjson");
    const split = await shell(`ulimit -f 128; ${pull} --out '${out}'`);
    expect(split.stderr).toContain(`error: --out "${out}": cannot be written (file too large); `);
    const candles =
      "--kind ohlcv --interval 1m --from 2026-11-18 --rpm unlimited --now 2026-11-21T08:54:00Z --error-format text";
    const pool = "ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
    const { exit, stderr } = await shell(`ulimit -f 16; dexdata sync ${folder}/lake ${pool} ${candles}`);
    expect([exit, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: \S+\/lake\/\.dexdata\/work\/\S+: cannot be written \(file too large\)\n/u,
      ),
    ]);
  });

  const packed = ["rows.ndjson.gz", "rows.parquet"];
  test.each(packed)(
    "while %s is being made keeps all rows, and the printed command makes the file",
    async (name) => {
      const folder = temporaryFolder();
      const file = path.join(folder, name);
      // A file that another program creates keeps the first run from finishing.
      const taken = `(until [ -e ${file}.part ]; do sleep 0.01; done; echo x > ${file})`;
      expect((await shell(`${taken} & ${pull} --out ${file}; code=$?; wait; exit $code`)).exit).toBe(1);
      await shell(`rm ${file}`);
      const { exit, stderr } = await shell(`ulimit -f 16; ${pull} --out ${file} --resume`);
      expect({ exit, left: readdirSync(folder).toSorted() }).toEqual({
        exit: 1,
        left: [`${name}.part`, `${name}.resume`],
      });
      const printed =
        /^error: --out ".*": cannot be written \(file too large\); 500 rows written\n {2}hint: raise the file size limit \(ulimit -f\), or write elsewhere; continue: (dexdata .*--resume.*)\n$/u.exec(
          stderr,
        )?.[1];
      expect((await shell(printed ?? "false")).exit).toBe(0);
      expect(readFileSync(file).equals(wholeFile(name))).toBe(true);
    },
  );

  test.each([
    ["txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --from -2d", "{date-hour}.ndjson", 64, "12s"],
    ["pools search ethereum --created-after -30d", "pools.ndjson", 8, "3s"],
  ])(
    "ends %s --follow, and the next run writes the rows that did not fit",
    async (words, name, kibibytes, time) => {
      const folder = temporaryFolder();
      const asked = `dexdata ${words} --now 2026-11-21T08:54:00Z --rpm unlimited --error-format text`;
      const follow = `${asked} --follow --poll 5s --for ${time} --out '${folder}/${name}'`;
      expect(await shell(`ulimit -f ${kibibytes}; ${follow}`)).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining("cannot be written (file too large)"),
      });
      expect((await shell(follow)).exit).toBe(0);
      const rows = readdirSync(folder)
        .filter((each) => each.endsWith(".ndjson"))
        .flatMap((each) => linesOf(readFileSync(path.join(folder, each))));
      const wanted = linesOf((await shell(`${asked} --all -o ndjson`)).stdout);
      expect(wanted.length).toBeGreaterThan(50);
      expect(rows.toSorted()).toEqual(wanted.toSorted());
    },
  );

  test("names the checkpoint of --follow if that is what cannot be written", async () => {
    const folder = temporaryFolder();
    const list = `dexdata pools search ethereum --limit 30 --fields chain,id -o ndjson > ${folder}/pools`;
    const follow = `dexdata txns @${folder}/pools --follow --rpm unlimited --out ${folder}/swaps.ndjson --for 5s`;
    const { exit, stderr } = await shell(`${list}; ulimit -f 2; ${follow} --error-format text`);
    expect(exit).toBe(1);
    expect(stderr).toContain(
      `error: ${folder}/.swaps.ndjson.follow cannot be written (file too large)\n${large}`,
    );
  });

  test("fails at the first byte with the same message", async () => {
    const folder = temporaryFolder();
    const { exit, stderr } = await shell(`ulimit -f 0; ${pull} --out ${folder}/rows.ndjson`);
    expect({ exit, stderr, left: readdirSync(folder) }).toEqual({
      exit: 1,
      stderr: `error: --out "${folder}/rows.ndjson": cannot be written (file too large)\n${large}`,
      left: [],
    });
  });

  test("a receipt that does not fit leaves the rows unchanged", async () => {
    const folder = temporaryFolder();
    const line = `dexdata networks -o ndjson --limit 1 --error-format text --receipt ${folder}/r.json`;
    const { exit, stdout, stderr } = await shell(`ulimit -f 0; ${line}`);
    expect({ exit, rows: String(stdout).split("\n").length, left: readdirSync(folder) }).toEqual({
      exit: 1,
      rows: 2,
      left: [],
    });
    expect(stderr).toContain(
      "cannot be written (file too large)\n  hint: the output was written; check the directory's permissions and free space\n",
    );
  });
});

/** A file system of its own, which ends with the process that mounted it. Only root needs no user namespace. */
const ownMounts = ["--mount", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
const canMount =
  spawnSync("unshare", [...ownMounts, "mount", "-t", "tmpfs", "tmpfs", temporaryFolder()]).status === 0;
const noMount = "LEFT OUT: a full disk of the settings: unshare --mount is not permitted here";
if (!canMount) console.warn(noMount);

describe.runIf(canMount)("full disk of the settings", () => {
  const cause = (file: string, verb: string): string => `${file} cannot be ${verb} (disk full)`;
  test.each([
    ["no space", 0, "lock", "created"],
    ["only space for a lock", 1, "", "written"],
  ] as const)("K10: %s: doctor reports what a command would", async (_, pages, ending, verb) => {
    const [config, state] = [temporaryFolder(), temporaryFolder()];
    const words = "--error-format text";
    const line =
      `export DEXDATA_CONFIG_DIR=${config} DEXDATA_STATE_DIR=${state}; ` +
      `dexdata doctor --sandbox --no-stream -o ndjson ${words}; echo $?; ` +
      `dexdata config set output json ${words} 2>&1; echo $?; ls ${config}`;
    const prepared =
      `mount -t tmpfs -o size=64k tmpfs ${config} && ` +
      `head -c ${(16 - pages) * 4096} /dev/zero > ${config}/filler`;
    const script = `dexdata() { "$NODE" "$PROGRAM" "$@"; }; ${prepared} && { ${line}; }`;
    const env = { ...binaryEnv(), NODE: process.execPath, PROGRAM: program };
    const inNamespace = [...ownMounts, "bash", "-c", script];
    const { stdout, stderr } = await ended(spawn("unshare", inNamespace, { env, stdio: "pipe" }));
    const lines = String(stdout).trimEnd().split("\n");
    const at = lines.findIndex((each) => each.startsWith('{"check":"config"'));
    const after = (file: string): string => cause(`${config}/${file}${ending && `.${ending}`}`, verb);
    expect(JSON.parse(lines[at] ?? "null")).toEqual({
      check: "config",
      result: "warn",
      found: `keys and settings cannot be saved: ${after("config.json.doctor")}`,
      next: "free disk space, or write elsewhere",
    });
    expect([lines.slice(-5), stderr]).toEqual([
      [
        "0",
        `error: ${after("config.json")}`,
        "  hint: free disk space, or write elsewhere",
        "2",
        // Neither leaves a file behind.
        "filler",
      ],
      "",
    ]);
  });
});

describe.runIf(canMount)("full disk of many pools", () => {
  const from = "2026-11-21T04:00:00Z";
  let pools: readonly string[] = [];
  let expected: readonly string[] = [];

  beforeAll(async () => {
    const settings = { env: sandbox.env() };
    const found = await dexdata("pools search ethereum --limit 3 -o ndjson", settings);
    pools = fieldOf(found.stdout, "id").map((id) => `ethereum:${String(id)}`);
    const words = ["txns", ...pools, "--from", from, "--all", "-o", "ndjson"];
    const { exit, stdout } = await dexdata(words, settings);
    expect(exit).toBe(0);
    expected = stdout.trimEnd().split("\n").toSorted();
  });

  test.each(["{pool}.ndjson", "swaps.ndjson"])(
    "%s: one message, and with free space, the same command continues each pool",
    async (name) => {
      const [disk, copied] = [temporaryFolder(), temporaryFolder()];
      const follow =
        `dexdata txns ${pools.join(" ")} --follow --from ${from} --poll 5s -q --rpm unlimited ` +
        `--error-format text --for 4s --out '${disk}/${name}'`;
      const script =
        `dexdata() { "$NODE" "$PROGRAM" "$@"; }; mount -t tmpfs -o size=200k tmpfs ${disk}; ` +
        `${follow} 2> ${copied}/message; echo "exit $?" >> ${copied}/message; ` +
        `mount -o remount,size=20m ${disk}; ${follow} && cp ${disk}/*.ndjson ${copied}`;
      const env = { ...binaryEnv(sandbox.env()), NODE: process.execPath, PROGRAM: program };
      await ended(spawn("unshare", [...ownMounts, "bash", "-c", script], { env, stdio: "pipe" }), 120_000);
      const message = readFileSync(path.join(copied, "message"), "utf8");
      expect(message).toContain("disk full");
      expect(message.match(/^error: /gmu)).toHaveLength(1);
      expect(message).toContain("exit 1\n");
      const rows = readdirSync(copied)
        .filter((file) => file.endsWith(".ndjson"))
        .flatMap((file) => readFileSync(path.join(copied, file), "utf8").trimEnd().split("\n"));
      expect(rows.length).toBeGreaterThan(1000);
      expect(rows.toSorted()).toEqual(expected);
    },
    150_000,
  );
});
