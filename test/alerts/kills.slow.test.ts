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
  const shown = { text: "3", isSilent: false };
  const server = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    open.add(response);
    response.on("close", () => open.delete(response));
  });
  const timer = setInterval(() => {
    for (const each of open) each.write(shown.isSilent ? ping : price(shown.text) + ping);
  }, 20);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    shown,
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
    const isFalse = (low: string): boolean => {
      const text = textOf(state);
      return !text.includes(low) || text.lastIndexOf(low) < text.lastIndexOf('{"isFalse"');
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
        await until(() => isFalse(low));
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
