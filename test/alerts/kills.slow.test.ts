import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { rowsOf } from "../harness/rows.ts";
import { ping, price } from "../tail/keeping.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const [state, acted] = [path.join(folder, "state"), path.join(folder, "acted.ndjson")];
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
const asset = "ethereum:0x0000000000000000000000000000000000000abc";
const [crossings, kills, cuts] = [200, 50, 20];

/** Sends a price to all connections every 20 ms, and pings in between. Some seconds have nothing but pings. */
async function startPrices() {
  const open = new Set<http.ServerResponse>();
  const shown = { text: "3", isSilent: false, isDead: false };
  const server = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    open.add(response);
    response.on("close", () => open.delete(response));
  });
  const timer = setInterval(() => {
    if (shown.isDead) return;
    for (const each of open) each.write(shown.isSilent ? ping : price(shown.text) + ping);
  }, 20);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    shown,
    /** At once, and from then on. */
    send: (text: string) => {
      shown.text = text;
      for (const each of open) each.write(price(text));
    },
    cut: () => {
      for (const each of open) each.destroy();
    },
    close: () => {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}

test.skipIf(!isLong)(
  "with --state, 200 crossings during 50 kills, 20 cuts and silence: each is acted on, and repeats are marked",
  { timeout: 900_000 },
  async () => {
    const random = createRandom(47);
    const service = await startPrices();
    const words = ["stream", asset, "--streaming-url", service.url, "--when", "price < 2", "--cooldown", "0"];
    const open = () => {
      const command = [
        "--state",
        state,
        "--out",
        path.join(folder, "prices.ndjson"),
        "--",
        "tee",
        "-a",
        acted,
      ];
      const child = start([...words, ...command]);
      return { child, over: ended(child, 900_000) };
    };
    let running = open();
    const restart = async (): Promise<void> => {
      running.child.kill("SIGKILL");
      await running.over;
      running = open();
    };
    const until = async (holds: () => boolean): Promise<void> => {
      for (let waited = 0; !holds(); waited += 1) {
        if (waited > 3000) throw new Error(`a crossing was missed: ${service.shown.text}`);
        await wait(10);
      }
    };
    /** A restart removes what is false from the file. */
    const isFalse = (): boolean => {
      const text = textOf(state);
      return text.lastIndexOf('{"isTrue"') <= text.lastIndexOf('{"isFalse"');
    };
    try {
      for (let count = 1; count <= crossings; count += 1) {
        const disturbs = async (): Promise<void> => {
          await wait(random() * 60);
          if (count % (crossings / kills) === 0) await restart();
          if (count % (crossings / cuts) === 5) service.cut();
        };
        service.shown.isSilent = random() < 0.05;
        if (service.shown.isSilent) await wait(500);
        const low = `1.${String(count).padStart(4, "0")}`;
        Object.assign(service.shown, { text: low, isSilent: false });
        await disturbs();
        await until(() => textOf(acted).includes(`"value":"${low}"`));
        service.shown.text = "3";
        await until(isFalse);
      }
      running.child.kill("SIGTERM");
      expect(await running.over).toMatchObject({ exit: 143 });
    } finally {
      running.child.kill("SIGKILL");
      service.close();
    }
    const alerts = rowsOf(textOf(acted));
    const first = alerts.filter(({ repeat }) => repeat !== true);
    const values = new Set(alerts.map(({ value }) => value));
    expect(values.size).toBe(crossings);
    expect(new Set(first.map(({ id }) => id)).size).toBe(first.length);
    expect(new Set(first.map(({ value }) => value)).size).toBe(first.length);
  },
);

test.skipIf(!isLong)(
  "from the event to the start of the command: at most 50 ms for 99 of 100 crossings",
  { timeout: 120_000 },
  async () => {
    const service = await startPrices();
    const file = path.join(folder, "started");
    const words = ["stream", asset, "--streaming-url", service.url, "--when", "price < 2", "--cooldown", "0"];
    const out = path.join(folder, "timed.ndjson");
    const script = `read -r line; echo "$(date +%s%N) $line" >> ${file}`;
    const child = start([...words, "--out", out, "--", "sh", "-c", script]);
    const over = ended(child, 120_000);
    const delays: number[] = [];
    try {
      for (let count = 0; count < 200; count += 1) {
        const low = `1.${String(count).padStart(4, "0")}`;
        const clock = BigInt(Date.now()) * 1_000_000n;
        service.send(low);
        for (let waited = 0; !textOf(file).includes(`"value":"${low}"`); waited += 1) {
          if (waited > 2000) throw new Error(`no command for ${low}`);
          await wait(5);
          // The first connection may not be open yet.
          if (count === 0 && waited % 100 === 99) service.send(low);
        }
        const line =
          textOf(file)
            .split("\n")
            .find((each) => each.includes(`"value":"${low}"`)) ?? "";
        // The first one includes the start of the program.
        if (count > 0) delays.push(Number(BigInt(line.split(" ")[0] ?? 0) - clock) / 1e6);
        service.send("3");
      }
    } finally {
      child.kill("SIGTERM");
      await over;
      service.close();
    }
    const sorted = delays.toSorted((one, other) => one - other);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    process.stdout.write(`median ${sorted[100]?.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms\n`);
    expect(p99).toBeLessThanOrEqual(50);
  },
);

test.skipIf(!isLong)(
  "--blind: each time without data is one interval with its bounds; also across a kill",
  { timeout: 300_000 },
  async () => {
    const service = await startPrices();
    const file = path.join(folder, "blind.ndjson");
    const words = ["stream", asset, "--streaming-url", service.url, "--when", "price < 0", "--blind", "20s"];
    const open = () => {
      const child = start([...words, "--out", path.join(folder, "seen"), "--", "tee", "-a", file]);
      return { child, over: ended(child, 300_000) };
    };
    const alerts = () => rowsOf(textOf(file));
    const until = async (count: number): Promise<void> => {
      for (let waited = 0; alerts().length < count; waited += 1) {
        if (waited > 6000) throw new Error(`${count} alerts were expected`);
        await wait(10);
      }
    };
    let running = open();
    try {
      await wait(3000);
      // Neither data nor pings: blind, and back.
      const lost = Date.now();
      service.shown.isDead = true;
      await until(1);
      const found = Date.now();
      service.shown.isDead = false;
      await until(2);
      // The same, but the run is killed while it is blind.
      await wait(1000);
      const lostAgain = Date.now();
      service.shown.isDead = true;
      await until(3);
      running.child.kill("SIGKILL");
      await running.over;
      running = open();
      await until(4);
      const foundAgain = Date.now();
      service.shown.isDead = false;
      await until(5);
      const expected = [
        { alert: "blind", from: lost },
        { alert: "back", from: lost, to: found },
        { alert: "blind", from: lostAgain },
        // The next run knows from the file of --out when the killed one last had an event.
        { alert: "blind", from: lostAgain },
        { alert: "back", from: lostAgain, to: foundAgain },
      ];
      const timeOf = (value: unknown): number => Date.parse(String(value));
      expect(alerts().map(({ alert }) => alert)).toEqual(expected.map(({ alert }) => alert));
      for (const [index, { from, to }] of alerts().entries()) {
        // Nothing is claimed to have been seen that was not, and at most a second more is called blind.
        const bounds = expected[index];
        expect(timeOf(from) - (bounds?.from ?? 0)).toBeLessThan(100);
        expect(timeOf(from) - (bounds?.from ?? 0)).toBeGreaterThan(-1000);
        if (bounds?.to === undefined) continue;
        expect(timeOf(to) - bounds.to).toBeGreaterThan(-100);
        expect(timeOf(to) - bounds.to).toBeLessThan(3000);
      }
    } finally {
      running.child.kill("SIGKILL");
      service.close();
    }
  },
);
