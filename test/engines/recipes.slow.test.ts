import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect } from "nats";
import { afterAll, describe, expect, test } from "vitest";
import { binaryEnv, ended as finished } from "../harness/binary.ts";
import { openDesk } from "../harness/console.ts";
import { isLong } from "../harness/long.ts";
import { findPostgres } from "../harness/postgres.ts";
import { fileOfPages } from "../harness/readme.ts";
import { leftOut, type Tool } from "../harness/recipe-tools.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Three minutes of the market per second, so that rows arrive during each outage. */
const began = Date.now();
const sandbox = useSandbox({ now: () => began + 180 * (Date.now() - began) });
const outages = isLong ? 10 : 3;

const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  // The commands below are the process itself (`exec`) or its children, so the group ends.
  if (child.pid !== undefined) process.kill(-child.pid, signal);
  await closed;
}

function start(command: string, words: readonly string[], env: NodeJS.ProcessEnv, cwd: string): ChildProcess {
  const child = spawn(command, words, { env, cwd, detached: true, stdio: ["ignore", "ignore", "inherit"] });
  stops.push(async () => await ended(child, "SIGKILL"));
  return child;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + 60_000; !(await condition());) {
    if (performance.now() > end) throw new Error(`not within a minute: ${what}`);
    await wait(50);
  }
}

const printed = [
  "collect.sh",
  "publish.mjs",
  "ship-to-nats.sh",
  "send.sh",
  "ship-to-kafka.sh",
  "swaps.sql",
  "store.sh",
  "ship-to-postgres.sh",
  "clickhouse.sql",
  "backfill.sh",
  "watch.sh",
  "union.sh",
];

/** A directory with the files of the page as printed, and the real program on the path. */
function openRecipe(more: Readonly<Record<string, string>>) {
  const desk = openDesk(mkdtempSync(path.join(temporaryFolder(), "engine-")));
  const { folder } = desk;
  for (const name of printed) writeFileSync(path.join(folder, name), fileOfPages(name));
  copyFileSync("examples/ship.mjs", path.join(folder, "ship.mjs"));
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(path.resolve("node_modules/nats"), path.join(folder, "node_modules/nats"));
  const { PATH = "" } = desk.env;
  const env = binaryEnv({ ...desk.env, ...sandbox.env(), ...more, PATH: `${PATH}:/usr/sbin` });
  const lines = (): readonly string[] =>
    readdirSync(folder)
      .filter((name) => /^swaps-[\d-]+\.kv$/u.test(name))
      .flatMap((name) => readFileSync(path.join(folder, name), "utf8").split("\n").slice(0, -1));
  return { folder, env, lines, run: (file: string) => start("sh", [file], env, folder) };
}

type Recipe = ReturnType<typeof openRecipe>;

const rowOf = (line: string): string => line.slice(line.indexOf("\t") + 1);
function keyOf(row: string): string {
  const { id, log_index: index }: Record<string, unknown> = JSON.parse(row);
  return `${String(id)} ${String(index)}`;
}

interface Engine {
  readonly ship: string;
  /** Breaks the engine; the returned function repairs it. */
  readonly breakDown: () => Promise<() => Promise<void>>;
  readonly rows: () => Promise<readonly string[]>;
}

/** Collects rows and ships them; the engine breaks and the shipper is killed, several times. Returns the rows of the files. */
async function survive(recipe: Recipe, { ship, breakDown, rows }: Engine): Promise<readonly string[]> {
  const collector = recipe.run("collect.sh");
  let shipper = recipe.run(ship);
  await until(() => recipe.lines().length > 100, "the collector has written rows");
  await until(async () => (await rows()).length > 50, "rows have arrived");
  for (let outage = 0; outage < outages; outage += 1) {
    const repair = await breakDown();
    const before = recipe.lines().length;
    await until(() => recipe.lines().length > before, "rows are written during the outage");
    await ended(shipper, "SIGKILL");
    shipper = recipe.run(ship);
    await wait(500);
    await repair();
    // Once in the middle of a batch, too.
    await wait(300 * outage);
    await ended(shipper, "SIGKILL");
    shipper = recipe.run(ship);
  }
  await ended(collector, "SIGTERM");
  const written = recipe.lines().map(rowOf);
  expect(new Set(written.map(keyOf)).size).toBe(written.length);
  const missing = async (): Promise<readonly string[]> => {
    const there = new Set((await rows()).map(keyOf));
    return written.filter((row) => !there.has(keyOf(row)));
  };
  await until(async () => (await missing()).length === 0, "every row has arrived").catch(() => undefined);
  expect(await missing()).toEqual([]);
  await ended(shipper, "SIGTERM");
  return written;
}

function tryWith(what: string, needed: readonly Tool[], trying: () => Promise<void>): void {
  const reason = leftOut(`the recipe for ${what} was not tried`, needed);
  test.skipIf(reason !== undefined)(reason ?? what, { timeout: 300_000 }, trying);
}

describe("every row arrives, although the engine and the shipper are killed:", () => {
  tryWith("NATS JetStream", ["nats-server"], async () => {
    const port = await freePort();
    const url = `nats://127.0.0.1:${port}`;
    const recipe = openRecipe({ NATS_URL: url });
    const words = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", path.join(recipe.folder, "js")];
    const startBroker = async (): Promise<ChildProcess> => {
      const broker = spawn("nats-server", words, { env: recipe.env, detached: true, stdio: "ignore" });
      stops.push(async () => await ended(broker, "SIGKILL"));
      const isUp = async (): Promise<boolean> =>
        await connect({ servers: url, reconnect: false, timeout: 500 }).then(
          async (connection) => {
            await connection.close();
            return true;
          },
          () => false,
        );
      await until(isUp, "the broker accepts connections");
      return broker;
    };
    let broker = await startBroker();
    const rows = async (): Promise<readonly string[]> => {
      const connection = await connect({ servers: url, reconnect: false });
      try {
        const consumer = await connection.jetstream().consumers.get("DEX");
        const { num_pending: pending } = await consumer.info();
        const found: string[] = [];
        if (pending > 0)
          for await (const message of await consumer.fetch({ max_messages: pending, expires: 5000 })) {
            found.push(message.string());
            if (found.length === pending) break;
          }
        return found;
      } catch {
        return [];
      } finally {
        await connection.close();
      }
    };
    const written = await survive(recipe, {
      ship: "ship-to-nats.sh",
      breakDown: async () => {
        await ended(broker, "SIGKILL");
        return async () => {
          broker = await startBroker();
        };
      },
      rows,
    });
    // Within the window, the broker drops repeats.
    expect((await rows()).toSorted()).toEqual(written.toSorted());
  });

  tryWith("Kafka", ["kcat"], async () => {
    const at = mkdtempSync(path.join(temporaryFolder(), "kafka-"));
    const [back, log] = [path.join(at, "back.ndjson"), path.join(at, "mock.log")];
    // The mock cluster of librdkafka is in the memory of this consumer.
    const mock = `exec kcat -C -u -q -b 127.0.0.1:1 -t swaps -o beginning -f '%k\\t%s\\n' -X test.mock.num.brokers=1 >'${back}' 2>'${log}'`;
    for (const file of [back, log]) writeFileSync(file, "");
    const cluster = start("sh", ["-c", mock], binaryEnv(), at);
    const address = (): string | undefined => /127\.0\.0\.1:(?!1\b)\d+/u.exec(readFileSync(log, "utf8"))?.[0];
    await until(() => address() !== undefined, "the mock cluster prints its address");
    const recipe = openRecipe({ KAFKA: address() ?? "" });
    const rows = async (): Promise<readonly string[]> => {
      await Promise.resolve();
      return readFileSync(back, "utf8").split("\n").slice(0, -1).map(rowOf);
    };
    const written = await survive(recipe, {
      ship: "ship-to-kafka.sh",
      breakDown: async () => {
        await Promise.resolve();
        cluster.kill("SIGSTOP");
        return async () => {
          await Promise.resolve();
          cluster.kill("SIGCONT");
        };
      },
      rows,
    });
    const found = await rows();
    expect(new Set(found)).toEqual(new Set(written));
    console.log(`Kafka: ${written.length} rows, ${found.length - written.length} repeats`);
  });

  tryWith("PostgreSQL", ["psql"], async () => {
    const programs = findPostgres() ?? "";
    const folder = mkdtempSync("/tmp/dexdata-postgres-");
    chmodSync(folder, 0o777);
    stops.push(() => rmSync(folder, { recursive: true, force: true }));
    const data = path.join(folder, "cluster");
    const asOther = process.getuid?.() === 0 ? ["runuser", "-u", "nobody", "--"] : [];
    const call = (name: string, ...words: readonly string[]): string =>
      execFileSync("env", [...asOther, path.join(programs, name), ...words], {
        cwd: folder,
        stdio: ["ignore", "ignore", "pipe"],
        encoding: "utf8",
      });
    call(
      "initdb",
      "--no-sync",
      "--auth=trust",
      "--username=dexdata",
      "--encoding=UTF8",
      "--locale=C",
      `--pgdata=${data}`,
    );
    const server = `-k ${folder} -c listen_addresses=`;
    const control = (...words: readonly string[]): string =>
      call("pg_ctl", "-w", "-D", data, "-l", path.join(folder, "log"), ...words);
    control("-o", server, "start");
    let isUp = true;
    stops.push(() => isUp && control("-m", "immediate", "stop"));
    const recipe = openRecipe({ PGHOST: folder, PGUSER: "dexdata", PGDATABASE: "postgres" });
    const query = (text: string): readonly string[] =>
      execFileSync("psql", ["-XAt", "-c", text], { env: recipe.env, encoding: "utf8" })
        .split("\n")
        .slice(0, -1);
    const rows = async (): Promise<readonly string[]> => {
      await Promise.resolve();
      return isUp && query("SELECT to_regclass('swaps')")[0] !== "" ? query("SELECT swap FROM swaps") : [];
    };
    const written = await survive(recipe, {
      ship: "ship-to-postgres.sh",
      breakDown: async () => {
        await Promise.resolve();
        isUp = false;
        control("-m", "immediate", "stop");
        return async () => {
          await Promise.resolve();
          control("-o", server, "start");
          isUp = true;
        };
      },
      rows,
    });
    expect(await rows()).toHaveLength(written.length);
    // The same rows twice, with one that jsonb rejects, and one whose digits a double would lose.
    rmSync(path.join(recipe.folder, "postgres.ship"));
    const hostile = `k\t{"id":"0x1","log_index":1,"name":"\\u0000"}\n`;
    const exact = `k\t{"id":"0x2","log_index":2,"amount":123456789012345678901234567890.123456789}\n`;
    writeFileSync(path.join(recipe.folder, "swaps-0.kv"), hostile + exact);
    const again = recipe.run("ship-to-postgres.sh");
    const refused = path.join(recipe.folder, "postgres.ship.refused");
    await until(() => readdirSync(recipe.folder).includes("postgres.ship.refused"), "the line is refused");
    await until(async () => (await rows()).length === written.length + 1, "the other lines are stored");
    await until(
      () =>
        Object.keys(JSON.parse(readFileSync(path.join(recipe.folder, "postgres.ship"), "utf8"))).length >= 2,
      "all files were shipped again",
    );
    await ended(again, "SIGTERM");
    expect(readFileSync(refused, "utf8")).toBe(hostile);
    expect(query("SELECT swap ->> 'amount' FROM swaps WHERE id = '0x2'")).toEqual([
      "123456789012345678901234567890.123456789",
    ]);
    expect(query("SELECT count(*) FROM swaps")).toEqual([String(written.length + 1)]);
  });
});

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

describe("the gaps of a stream", () => {
  tryWith("filling gaps", ["jq"], async () => {
    const recipe = openRecipe({});
    // The sandbox is in this process, so the shell runs beside it.
    const call = async (words: string): Promise<string> =>
      (
        await finished(spawn("sh", ["-c", words], { cwd: recipe.folder, env: recipe.env, stdio: "pipe" }))
      ).stdout.toString();
    // A stream that the service cuts, and its own events.
    const stream = `dexdata stream ethereum:${pool} --feed transactions --sandbox --speed 600 --faults stream-cut=3 --for 8s -q`;
    await call(`${stream} --events events.ndjson > stream.ndjson 2> /dev/null`);
    const events = readFileSync(path.join(recipe.folder, "events.ndjson"), "utf8");
    const gaps = events
      .split("\n")
      .slice(0, -1)
      .map((line): Record<string, unknown> => JSON.parse(line));
    const gap = gaps.find(({ event }) => event === "gap");
    expect(gap).toMatchObject({
      names: [`ethereum:${pool}`],
      from: expect.any(String),
      to: expect.any(String),
    });
    // A longer gap with rows in it, of two pools, one with a name that a shell would execute.
    const [from, to] = [new Date(began - 3_000_000).toISOString(), new Date(began - 1_000_000).toISOString()];
    const names = [`ethereum:${pool}`, "ethereum:$(touch pwned)'; touch pwned"];
    writeFileSync(
      path.join(recipe.folder, "events.ndjson"),
      `${JSON.stringify({ ...gap, names, from, to })}\n${JSON.stringify({ event: "close", names })}\n`,
    );
    const filled = await call("sh backfill.sh 2> /dev/null || true");
    const asked = await call(`dexdata txns ethereum:${pool} --from ${from} --to ${to} --all -q`);
    expect(filled).toBe(asked);
    expect(filled.split("\n").length).toBeGreaterThan(50);
    expect(readdirSync(recipe.folder)).not.toContain("pwned");
  });
});

describe("two collectors of a stream", () => {
  test("together have every row, although each is killed in turn", { timeout: 300_000 }, async () => {
    const recipe = openRecipe({});
    const watch = (name: string): ChildProcess => start("sh", ["watch.sh", name], recipe.env, recipe.folder);
    const linesOf = (name: string): readonly string[] =>
      readdirSync(recipe.folder)
        .filter((file) => file.startsWith(`${name}-`) && file.endsWith(".kv"))
        .flatMap((file) => readFileSync(path.join(recipe.folder, file), "utf8").split("\n").slice(0, -1));
    const grows = async (name: string): Promise<void> => {
      const before = linesOf(name).length;
      await until(() => linesOf(name).length >= before + 6, `${name} has received more rows`);
    };
    const running = new Map(["a", "b"].map((name) => [name, watch(name)]));
    for (const name of ["a", "b", "a", "b"]) await grows(name);
    for (const [killed, other] of [
      ["a", "b"],
      ["b", "a"],
      ["a", "b"],
    ] as const) {
      const child = running.get(killed);
      if (child !== undefined) await ended(child, "SIGKILL");
      await grows(other);
      running.set(killed, watch(killed));
      await grows(killed);
    }
    for (const child of running.values()) await ended(child, "SIGTERM");

    const call = async (words: string): Promise<readonly string[]> =>
      (
        await finished(spawn("sh", ["-c", words], { cwd: recipe.folder, env: recipe.env, stdio: "pipe" }))
      ).stdout
        .toString()
        .split("\n")
        .slice(0, -1);
    const union = await call("sh union.sh");
    const timeOf = (row: string): string => /"block_timestamp":"([^"]+)"/u.exec(row)?.[1] ?? "";
    const times = union.map(timeOf).toSorted();
    const [from = "", to = ""] = [times[0], times.at(-1)];
    // The rows of the first and the last second may have been sent before the start or after the end.
    const isInside = (time: string): boolean => time > from && time < to;
    const rows = await call(
      `dexdata txns ethereum:${pool} --from ${from} --to ${to} --all --prefix id,pool_id,amount_0,amount_1,created_at -q`,
    );
    const keyAndTime = /^((?:[^:]*:){3}[^:]*):(.*)$/u;
    const expected = rows
      .map((line) => keyAndTime.exec(line.slice(0, line.indexOf("\t"))) ?? [])
      .filter(([, , time = ""]) => isInside(time))
      .map(([, key]) => key);
    expect(expected.length).toBeGreaterThan(30);
    const keysOf = (lines: readonly string[]): ReadonlySet<string> =>
      new Set(
        lines.filter((line) => isInside(timeOf(line))).map((line) => line.slice(0, line.indexOf("\t"))),
      );
    const [a, b] = [linesOf("a"), linesOf("b")];
    expect(expected).toHaveLength(new Set(expected).size);
    expect(keysOf([...a, ...b])).toEqual(new Set(expected));
    expect(union).toHaveLength(new Set([...a, ...b].map((line) => line.slice(0, line.indexOf("\t")))).size);
    expect(new Set(union)).toEqual(new Set([...a, ...b].map(rowOf)));
    // Neither has every row, so the union was necessary.
    for (const alone of [a, b]) expect(keysOf(alone).size).toBeLessThan(expected.length);
    console.log(`two collectors: ${a.length} and ${b.length} rows, together ${union.length}`);
  });
});

/** `npm install --prefix FOLDER chdb@3.4.0`: 546 MB, so only by hand. */
const chdb = process.env["DEXDATA_TEST_CHDB"];

describe("ClickHouse", () => {
  const reason = chdb === undefined && isLong ? "LEFT OUT: chdb is not there (DEXDATA_TEST_CHDB)" : undefined;
  if (reason !== undefined) console.warn(`\n!! ${reason}\n`);
  test.runIf(isLong && chdb !== undefined)(
    reason ?? "has each row once, also if files repeat, with exact sums",
    async () => {
      const recipe = openRecipe({});
      const words = `dexdata txns ethereum:${pool} --from -1h --all -q --out`;
      for (const name of ["swaps-1.ndjson", "swaps-2.ndjson"])
        await finished(
          spawn("sh", ["-c", `${words} ${name}`], { cwd: recipe.folder, env: recipe.env, stdio: "pipe" }),
        );
      const written = ["swaps-1.ndjson", "swaps-2.ndjson"].flatMap((name) =>
        readFileSync(path.join(recipe.folder, name), "utf8").split("\n").slice(0, -1),
      );
      const rows = new Map(written.map((row) => [keyOf(row), row]));
      const sum = [...rows.values()].reduce((total, row) => {
        const { amount_1: amount }: { amount_1?: unknown } = JSON.parse(row);
        return total + BigInt(String(amount));
      }, 0n);
      const script = `const { Session } = require(${JSON.stringify(path.join(chdb ?? "", "node_modules/chdb"))});
      const session = new Session();
      for (const part of require("fs").readFileSync("clickhouse.sql", "utf8").split(";\\n")) if (part.trim()) session.query(part);
      process.stdout.write(session.query("SELECT count(), sum(amount_1), uniqExact(pool_id) FROM swaps FINAL", "CSV"));
      session.cleanup();`;
      const said = execFileSync(process.execPath, ["-e", script], { cwd: recipe.folder, encoding: "utf8" });
      expect(said.replaceAll('"', "").trim()).toBe(`${rows.size},${sum},1`);
      expect(written.length).toBeGreaterThan(rows.size);
    },
  );
});
