import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata, run } from "../harness/dexdata.ts";
import { answerOf, type Listing, manyEvents, nameOf } from "../harness/listing.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { empty, json, type Reply, type ScriptedServer } from "../harness/scripted-server.ts";
import { lockOfRunning, lockText } from "../harness/lock-token.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
let count = 0;
const newFile = (): string => {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), "rows.ndjson");
};

let server: ScriptedServer;

/** Serves three pages of two rows; page `fails` gets an error response until `heal` is called. */
async function threePages(
  fails: number,
  refusal: () => Reply,
): Promise<{ env: Record<string, string>; heal: () => void }> {
  let isHealed = false;
  server = await serveInTest(({ query }) => {
    const page = Number(query.get("cursor") ?? "0");
    if (page === fails && !isHealed) return refusal();
    const results = [0, 1].map((row) => ({ chain: "ethereum", id: `0x${page}${row}`, price_usd: 0.1 }));
    return json({ results, has_next_page: page < 2, next_cursor: page < 2 ? String(page + 1) : "" });
  });
  return {
    env: { DEXDATA_BASE_URL: server.url },
    heal: () => {
      isHealed = true;
    },
  };
}

const all = ["pools", "search", "ethereum", "--all", "--page-size", "2"];
const unavailable = (): Reply => empty(501);

describe("--out", () => {
  test("writes the rows to the file and nothing to stdout, as ndjson on a terminal too", async () => {
    const file = newFile();
    const { exit, stdout } = await dexdata(["networks", "--out", file], {
      env: sandbox.env(),
      isTerminal: { stdout: true },
    });
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(35);
    expect(readdirSync(path.dirname(file))).toEqual(["rows.ndjson"]);
  });

  test.each(["json", "table"])("accepts -o %s", async (format) => {
    const file = newFile();
    const words = ["pools", "search", "ethereum", "--limit", "12", "-o", format];
    const [piped, written] = [
      await dexdata(words, { env: sandbox.env() }),
      await dexdata([...words, "--out", file], { env: sandbox.env() }),
    ];
    expect(written.exit).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(piped.stdout);
  });

  test("promise 10: FILE is complete or absent: after a failure halfway the rows are in FILE.part", async () => {
    const { env } = await threePages(2, unavailable);
    const file = newFile();
    const { exit, stderr } = await dexdata([...all, "--out", file, "--error-format", "text"], { env });
    expect({ exit, stderr }).toEqual({
      exit: 7,
      stderr:
        "error: the service failed (HTTP 501); 4 rows written\n" +
        `  hint: continue: dexdata ${all.join(" ")} --out ${file} --error-format text --resume\n`,
    });
    expect(readdirSync(path.dirname(file)).toSorted()).toEqual(["rows.ndjson.part", "rows.ndjson.resume"]);
    expect(rowsOf(readFileSync(`${file}.part`, "utf8")).length).toBe(4);
  });

  test("does not change an existing file and sends no request, unless --force replaces it", async () => {
    const file = newFile();
    writeFileSync(file, "precious\n");
    sandbox.takeLog();
    const refused = await dexdata(["networks", "--out", file, "--error-format", "text"], {
      env: sandbox.env(),
    });
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain("--force");
    expect(readFileSync(file, "utf8")).toBe("precious\n");
    expect(sandbox.takeLog()).toEqual([]);

    const { exit } = await dexdata(["networks", "--out", file, "--force"], { env: sandbox.env() });
    expect(exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(35);
  });

  test("--force keeps the old file if the pull fails", async () => {
    const { env } = await threePages(2, unavailable);
    const file = newFile();
    writeFileSync(file, "precious\n");
    expect((await dexdata([...all, "--out", file, "--force"], { env })).exit).toBe(7);
    expect(readFileSync(file, "utf8")).toBe("precious\n");
  });

  test("keeps a link as a link", async () => {
    const file = newFile();
    const link = path.join(path.dirname(file), "link");
    writeFileSync(file, "");
    symlinkSync(file, link);
    expect((await dexdata(["networks", "--out", link, "--force"], { env: sandbox.env() })).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(35);
    expect(readdirSync(path.dirname(file)).length).toBe(2);
  });

  const refusals: readonly (readonly [string, readonly string[], string?])[] = [
    ["no such directory", ["--out", "/nowhere/at/all/rows.ndjson"]],
    ["a folder", ["--out", folder]],
    ["a device", ["--out", "/dev/null", "--force"]],
    ["no name", ["--out", ""]],
    ["stdout's name", ["--out", "-"], "leave it out to write to stdout, or use ./-"],
    ["stdout's name for a receipt", ["--receipt", "-"], 'invalid --receipt "-": must be a file name'],
    ["a name that changes with time", ["--out", path.join(folder, "x-%Y%m.ndjson")], "the rows have no time"],
    ["a name with fields", ["--out", path.join(folder, "{network}.ndjson")], "name one file"],
    ["--resume without a file", ["--resume"]],
    ["--force without a file", ["--force"]],
    ["--resume and --force", ["--out", path.join(folder, "x"), "--resume", "--force"]],
    ["a table that goes on", ["--out", path.join(folder, "x"), "--resume", "-o", "table"]],
    [
      "the receipt in the rows' place",
      ["--out", path.join(folder, "x"), "--receipt", path.join(folder, "x")],
    ],
  ];
  test.each(refusals.map(([what, words, said]) => [what, words, said ?? ""] as const))(
    "rejects before any request: %s",
    async (_, words, said) => {
      sandbox.takeLog();
      const { exit, stdout, stderr } = await dexdata(["networks", ...words], { env: sandbox.env() });
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
      expect(stderr).not.toBe("");
      expect(stderr).toContain(JSON.stringify(said).slice(1, -1));
      expect(sandbox.takeLog()).toEqual([]);
    },
  );

  test("does not change a file that appears during the pull, and keeps the rows next to it", async () => {
    const file = newFile();
    server = await serveInTest(() => {
      writeFileSync(file, "precious\n");
      return json([{ id: "ethereum" }]);
    });
    const words = ["networks", "--out", file, "--error-format", "text"];
    const { exit, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
    expect(exit).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("precious\n");
    const part = /the rows are complete in (?<part>[^\s;]+)/u.exec(stderr)?.groups?.["part"] ?? "";
    expect(readFileSync(part, "utf8")).toBe('{"id":"ethereum"}\n');
    // The message names the obstacle first; the command after it then works.
    expect(stderr).toContain(
      `\n  hint: move ${file} out of the way; continue: dexdata networks --out ${file}`,
    );
    rmSync(file);
    const printed = /continue: dexdata (.*)/u.exec(stderr)?.[1] ?? "";
    expect((await dexdata(printed, { env: { DEXDATA_BASE_URL: server.url } })).exit).toBe(0);
    expect(readFileSync(file, "utf8")).toBe('{"id":"ethereum"}\n');
  });

  test("--force leaves no checkpoint that a later --resume would find", async () => {
    const { env, heal } = await threePages(1, unavailable);
    const file = newFile();
    await dexdata([...all, "--out", file, "--resume"], { env });
    heal();
    expect((await dexdata([...all, "--out", file, "--force"], { env })).exit).toBe(0);
    expect(readdirSync(path.dirname(file))).toEqual(["rows.ndjson"]);
  });
});

describe("--out --resume", () => {
  test.each([400, 404])(
    "a %i in the middle of a list does not count as one failed input: the pull can be resumed",
    async (status) => {
      const { env, heal } = await threePages(2, () => json({ message: "no" }, { status }));
      const file = newFile();
      const words = [...all, "--out", file, "--resume", "--error-format", "text"];
      const failed = await dexdata(words, { env });
      expect(failed.exit).toBe(status === 400 ? 2 : 3);
      expect(failed.stderr).toContain("4 rows written");
      heal();
      expect((await dexdata(words, { env })).exit).toBe(0);
      expect(rowsOf(readFileSync(file, "utf8")).length).toBe(6);
    },
  );

  test("an error before the first row does not count as progress: the same command tries again", async () => {
    const { env, heal } = await threePages(0, () => json({ message: "no" }, { status: 404 }));
    const file = newFile();
    const words = [...all, "--out", file, "--resume"];
    expect((await dexdata(words, { env })).exit).toBe(3);
    expect((await dexdata(words, { env })).exit).toBe(3);
    heal();
    expect((await dexdata(words, { env })).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(6);
  });

  test("fetches rows that were deleted again, with the time range of the current run", async () => {
    const { env, heal } = await threePages(1, unavailable);
    const file = newFile();
    const words = [...all, "--created-after", "-7d", "--out", file, "--resume"];
    await dexdata(words, { env, now: "2026-11-21T08:54:00Z" });
    rmSync(file);
    heal();
    expect((await dexdata(words, { env, now: "2026-11-22T08:54:00Z" })).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(6);
    const bounds = new Set(server.requests.map(({ query }) => query.get("created_after")));
    expect(bounds.size).toBe(2);
  });

  test("rejects a --now that differs from the first run", async () => {
    const { env } = await threePages(1, unavailable);
    const file = newFile();
    const words = [...all, "--out", file, "--resume", "--error-format", "text"];
    await dexdata([...words, "--now", "2026-01-01"], { env });
    const { exit, stderr } = await dexdata([...words, "--now", "2026-01-02"], { env });
    expect(exit).toBe(2);
    expect(stderr).toContain("2026-01-01");
  });

  test("keeps all rows if the service removes some between the runs", async () => {
    const listing: Listing = { events: manyEvents(469, 2) };
    let isBroken = true;
    server = await serveInTest((request) =>
      isBroken && Number(request.query.get("page")) > 5 ? empty(501) : answerOf(listing, request),
    );
    const file = newFile();
    const words = `txns ethereum 0x0000000000000000000000000000000000000001 --all --page-size 20 --rpm unlimited --parallel 1 --out ${file} --resume`;
    const env = {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    };
    expect((await dexdata(words, { env })).exit).toBe(7);
    const before = [...listing.events];
    listing.events.splice(10, 3);
    isBroken = false;
    expect((await dexdata(words, { env })).exit).toBe(0);
    const names = rowsOf(readFileSync(file, "utf8")).map(
      ({ id, log_index: index }) => `${String(id)} ${String(index)}`,
    );
    expect(names).toEqual(before.map(nameOf));
  });

  test("several inputs: prints the command with a file, because no flag sets the starting input", async () => {
    server = await serveInTest(({ path: asked }) =>
      asked.endsWith("0x000000000000000000000000000000000000000c")
        ? json({ error: "payment_required" }, { status: 402 })
        : json({ id: asked.split("/").at(-1) }),
    );
    const words = [
      "pool",
      "ethereum",
      "0x000000000000000000000000000000000000000a",
      "0x000000000000000000000000000000000000000b",
      "0x000000000000000000000000000000000000000c",
      "0x000000000000000000000000000000000000000d",
      "--error-format",
      "text",
      "-o",
      "ndjson",
    ];
    const { exit, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
    expect(exit).toBe(5);
    expect(stderr).toContain("3 rows written");
    expect(stderr).toContain(
      "dexdata pool ethereum 0x000000000000000000000000000000000000000a 0x000000000000000000000000000000000000000b 0x000000000000000000000000000000000000000c 0x000000000000000000000000000000000000000d",
    );
    expect(stderr).toContain("--out FILE --resume");
  });

  test("keeps the rows of a failed pull and continues with the same bytes, without repeating a request", async () => {
    const { env, heal } = await threePages(2, unavailable);
    const file = newFile();
    const words = [...all, "--out", file, "--resume"];
    const failed = await dexdata([...words, "--error-format", "text"], { env });
    expect(failed.exit).toBe(7);
    expect(failed.stderr).toContain("4 rows written");
    expect(failed.stderr).toContain(`continue: dexdata ${all.join(" ")}`);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(4);

    heal();
    const before = server.requests.length;
    expect((await dexdata(words, { env })).exit).toBe(0);
    expect(server.requests.length).toBe(before + 1);
    expect(rowsOf(readFileSync(file, "utf8")).map(({ id }) => id)).toEqual([
      "0x00",
      "0x01",
      "0x10",
      "0x11",
      "0x20",
      "0x21",
    ]);
    expect(readdirSync(path.dirname(file))).toEqual(["rows.ndjson"]);
  });

  test("closes a JSON document once, at the end", async () => {
    const { env, heal } = await threePages(1, unavailable);
    const file = newFile();
    const words = [...all, "--out", file, "--resume", "-o", "json"];
    expect((await dexdata(words, { env })).exit).toBe(7);
    heal();
    expect((await dexdata(words, { env })).exit).toBe(0);
    const rows: unknown = JSON.parse(readFileSync(file, "utf8"));
    expect(rows).toHaveLength(6);
  });

  test("402: keeps the rows, exits 5, and prints the command that continues", async () => {
    const { env, heal } = await threePages(1, () =>
      json({ error: "payment_required", message: "out of credits" }, { status: 402 }),
    );
    const file = newFile();
    const failed = await dexdata([...all, "--out", file, "--resume", "--error-format", "text"], { env });
    expect(failed.exit).toBe(5);
    const printed = /continue: dexdata (.*)/u.exec(failed.stderr)?.[1] ?? "";
    heal();
    expect((await dexdata(printed, { env })).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(6);
  });

  test.each(["table", "wide"])(
    "DEXDATA_OUTPUT=%s: the printed command continues all the same",
    async (output) => {
      const { env, heal } = await threePages(1, unavailable);
      const file = newFile().replace(/\.ndjson$/u, "");
      const tables = { ...env, DEXDATA_OUTPUT: output };
      const failed = await dexdata([...all, "--out", file, "--error-format", "text"], { env: tables });
      const printed = /for a resumable pull: dexdata (.*)/u.exec(failed.stderr)?.[1] ?? "";
      expect([failed.exit, printed]).toEqual([7, expect.stringContaining("--resume")]);
      heal();
      expect((await dexdata(printed, { env: tables })).exit).toBe(0);
      expect(rowsOf(readFileSync(file, "utf8")).length).toBe(6);
    },
  );

  test("a limit applies to all runs together", async () => {
    const { env, heal } = await threePages(1, unavailable);
    const file = newFile();
    const words = [
      "pools",
      "search",
      "ethereum",
      "--limit",
      "5",
      "--page-size",
      "2",
      "--out",
      file,
      "--resume",
    ];
    expect((await dexdata(words, { env })).exit).toBe(7);
    heal();
    expect((await dexdata(words, { env })).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).length).toBe(5);
  });

  test("drops rows that the previous run already wrote", async () => {
    let isHealed = false;
    server = await serveInTest(({ query }) => {
      const cursor = query.get("cursor");
      if (cursor === "b" && !isHealed) return empty(501);
      const ids = cursor === null ? [1, 2] : cursor === "a" ? [3, 4] : [1, 4, 5];
      const results = ids.map((id) => ({ chain: "ethereum", id: `0x${id}` }));
      return json({ results, has_next_page: cursor !== "b", next_cursor: cursor === null ? "a" : "b" });
    });
    const file = newFile();
    const words = [...all, "--out", file, "--resume"];
    const env = { DEXDATA_BASE_URL: server.url };
    expect((await dexdata(words, { env })).exit).toBe(7);
    isHealed = true;
    expect((await dexdata(words, { env })).exit).toBe(0);
    expect(rowsOf(readFileSync(file, "utf8")).map(({ id }) => id)).toEqual([
      "0x1",
      "0x2",
      "0x3",
      "0x4",
      "0x5",
    ]);
  });

  test("keeps relative times as they were at the start of the pull", async () => {
    let isHealed = false;
    server = await serveInTest(({ query }) => {
      if (query.has("cursor") && !isHealed) return empty(501);
      const results = [
        { chain: "ethereum", id: query.get("cursor") ?? "0x0000000000000000000000000000000000000001" },
      ];
      return json({
        results,
        has_next_page: !query.has("cursor"),
        next_cursor: "0x0000000000000000000000000000000000000002",
      });
    });
    const file = newFile();
    const words = [...all, "--created-after", "-7d", "--out", file, "--resume"];
    const env = { DEXDATA_BASE_URL: server.url };
    await dexdata(words, { env, now: "2026-11-21T08:54:00Z" });
    isHealed = true;
    expect((await dexdata(words, { env, now: "2026-11-22T10:00:00Z" })).exit).toBe(0);
    const bounds = new Set(server.requests.map(({ query }) => query.get("created_after")));
    expect(bounds.size).toBe(1);
  });

  test("rejects another query, another service, a modified file or an unrelated file, and changes nothing", async () => {
    const { env, heal } = await threePages(2, unavailable);
    const file = newFile();
    const words = [...all, "--out", file, "--resume"];
    await dexdata(words, { env });
    const kept = readFileSync(file);
    const journal = readFileSync(`${file}.resume`);
    heal();
    const requests = server.requests.length;
    const refused = async (argv: readonly string[], expected: string, other = env): Promise<void> => {
      const { exit, stderr } = await dexdata([...argv, "--error-format", "text"], { env: other });
      expect({ exit, hasWord: stderr.includes(expected), stderr }).toEqual({
        exit: 2,
        hasWord: true,
        stderr,
      });
      expect(readFileSync(file).equals(kept)).toBe(true);
      expect(readFileSync(`${file}.resume`).equals(journal)).toBe(true);
    };
    await refused(
      ["pools", "search", "solana", "--all", "--page-size", "2", "--out", file, "--resume"],
      "network: ethereum",
    );
    await refused([...words, "-o", "json"], "--output");
    await refused(words.with(words.indexOf("2"), "3"), "--page-size: 2 then, 3 now");
    await refused(
      [...words, "--created-after", "2026-11-20"],
      "--created-after: not set then, 2026-11-20T00:00:00Z now",
    );
    await refused([...words, "--fields", "id"], "--fields");
    await refused([...words, "--volume-usd-24h-min", "5"], "--volume-usd-24h-min: not set then, 5 now");
    await refused(words, "service", sandbox.env("keyless"));
    writeFileSync(file, Buffer.from(kept.toString().replace("0x00", "0x0f")));
    const changed = await dexdata([...words, "--error-format", "text"], { env });
    expect(changed.exit).toBe(2);
    expect(changed.stderr).toContain("it was modified after the interruption");
    expect(server.requests.length).toBe(requests);

    const foreign = newFile();
    writeFileSync(foreign, "rows of somebody\n");
    const { exit, stderr } = await dexdata([...all, "--out", foreign, "--resume", "--error-format", "text"], {
      env,
    });
    expect(exit).toBe(2);
    expect(stderr).toContain("--force");
    expect(readFileSync(foreign, "utf8")).toBe("rows of somebody\n");
  });

  test("does not accept a checkpoint with more inputs than the command as complete", async () => {
    server = await serveInTest(({ path: asked }) =>
      asked.endsWith("a") ? json({ id: asked.split("/").at(-1), chain: "ethereum" }) : empty(501),
    );
    const file = newFile();
    const words = [
      "pool",
      "ethereum",
      "0x000000000000000000000000000000000000000a",
      "0x000000000000000000000000000000000000000b",
      "--out",
      file,
      "--resume",
      "--retry-max-time",
      "1s",
    ];
    const pull = async (): Promise<{ exit: number; stderr: string }> =>
      await dexdata([...words, "--error-format", "text"], { env: { DEXDATA_BASE_URL: server.url } });
    expect((await pull()).exit).toBe(7);
    const line = readFileSync(`${file}.resume`, "utf8").trimEnd().split("\n").at(-1) ?? "";
    appendFileSync(`${file}.resume`, `${JSON.stringify({ ...JSON.parse(line), question: 3 })}\n`);
    const { exit, stderr } = await pull();
    expect({ exit, stderr: stderr.split("\n")[0] }).toEqual({
      exit: 2,
      stderr: `error: ${file}.resume is not a checkpoint of this version of dexdata`,
    });
  });

  test("rejects a file that another run is writing", async () => {
    const file = newFile();
    writeFileSync(`${file}.lock`, lockOfRunning());
    for (const more of [[], ["--resume"], ["--force"]]) {
      const words = [...all, "--out", file, ...more, "--error-format", "text", "--deadline", "1h"];
      const { exit, stderr, context } = await dexdata(words, { env: sandbox.env() });
      expect(context.clock.pending(), "timers that keep the process alive").toBe(0);
      expect({ exit, stderr }).toEqual({
        exit: 7,
        stderr:
          `error: ${file} is in use by process ${process.ppid}\n` +
          `  hint: wait until it has finished, or stop it; if it is not dexdata, delete ${file}.lock\n`,
      });
    }
    expect(readdirSync(path.dirname(file))).toEqual(["rows.ndjson.lock"]);
  });

  test("watches a stale lock of another host first, with a message on a terminal", async () => {
    const { env } = await threePages(3, unavailable);
    for (const isTerminal of [true, false]) {
      const file = newFile();
      writeFileSync(`${file}.lock`, lockText({ host: "other.example" }));
      utimesSync(`${file}.lock`, 1, 1);
      const words = [...all, "--out", file, "--progress", "none"];
      const { exit, stderr } = await dexdata(words, { env, isTerminal: { stderr: isTerminal } });
      const line = `waiting for the lock ${file}.lock, held by another host or container\n`;
      expect([exit, stderr.split(line).length - 1]).toEqual([0, isTerminal ? 1 : 0]);
    }
  });

  test("reports and accepts a plan that changed between the runs", async () => {
    const { env, heal } = await threePages(2, unavailable);
    const file = newFile();
    const words = [...all, "--out", file, "--resume"];
    const both = { ...env, DEXDATA_PRO_BASE_URL: env["DEXDATA_BASE_URL"] ?? "" };
    await dexdata(words, { env: both });
    heal();
    const { exit, stderr } = await dexdata(words, {
      env: { ...both, DEXDATA_API_KEY: "api_pro_0123456789", DEXDATA_TIER: "pro" },
    });
    expect(exit).toBe(0);
    expect(stderr).toContain("started on the keyless plan and continues on the pro plan");
  });

  test("counts inputs that failed in an earlier run: exit 8", async () => {
    let isHealed = false;
    server = await serveInTest(({ path: asked }) => {
      if (asked.endsWith("0x0000000000000000000000000000000000000bad"))
        return json({ error: "not_found", message: "no" }, { status: 404 });
      if (asked.endsWith("0x0000000000000000000000000000000000001a7e") && !isHealed) return empty(501);
      return json({ id: asked.split("/").at(-1), chain: "ethereum" });
    });
    const file = newFile();
    const words = [
      "pool",
      "ethereum",
      "0x000000000000000000000000000000000000000a",
      "0x0000000000000000000000000000000000000bad",
      "0x0000000000000000000000000000000000001a7e",
      "--out",
      file,
      "--resume",
      "-o",
      "ndjson",
    ];
    const env = { DEXDATA_BASE_URL: server.url };
    expect((await dexdata(words, { env })).exit).toBe(7);
    isHealed = true;
    expect((await dexdata(words, { env })).exit).toBe(8);
    expect(rowsOf(readFileSync(file, "utf8")).map(({ id }) => id)).toEqual([
      "0x000000000000000000000000000000000000000a",
      "0x0000000000000000000000000000000000001a7e",
    ]);
  });

  test("on Ctrl-C keeps complete lines, exits 130 and prints the command that continues", async () => {
    const file = newFile();
    const context = createTestContext({ env: { LANG: "C.UTF-8" } });
    server = await serveInTest(({ query }) => {
      const page = Number(query.get("cursor") ?? "0");
      if (page === 3) context.interrupt({ cause: "SIGINT" });
      return json({
        results: [{ chain: "ethereum", id: `0x${page}` }],
        has_next_page: true,
        next_cursor: String(page + 1),
      });
    });
    const argv = [...all, "--out", file, "--resume", "--base-url", server.url, "--timeout", "24h"];
    const { exit, stderr } = await run(argv, context);
    expect(exit).toBe(130);
    expect(stderr).toContain("note: interrupted after");
    expect(stderr).toContain("; continue: dexdata pools search ethereum --all");
    const text = readFileSync(file, "utf8");
    expect(text.endsWith("\n")).toBe(true);
    expect(rowsOf(text).length).toBeGreaterThanOrEqual(2);
  });
});
