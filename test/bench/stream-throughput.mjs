// stream-throughput.mjs [--count 400000] [--rounds 5]: events a second of the built program under a flood, beside what
// people write by hand. Run `npm run build` before. Ends by itself after about a minute.
//
// Every side reads the same stream, checks that each event is JSON, and writes one line an event into a pipe that
// `wc -l` counts. `undici`: request, split the text into lines, JSON.parse, one write a chunk. `eventsource`: the
// package's EventSource, JSON.parse, one write an event; installed into a temporary folder for the run. The rounds are
// interleaved, and a ratio is the median of the rounds' ratios. Ends with 1 where the program is slower than a side.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import {
  environment,
  installEventSource,
  median,
  option,
  productOn,
  startServer,
} from "./stream-processes.mjs";

const self = fileURLToPath(import.meta.url);
const [side, url, folder] = process.argv.slice(2);
if (side === "undici") await readByUndici(url);
else if (side === "eventsource") readByEventSource(url, folder);
else await main();

async function readByUndici(address) {
  const { request } = await import("undici");
  const { body } = await request(address, { headersTimeout: 0, bodyTimeout: 0 });
  body.setEncoding("utf8");
  let rest = "";
  for await (const text of body) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    let out = "";
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      const data = line.slice(6);
      JSON.parse(data);
      out += `${data}\n`;
    }
    if (out !== "" && !process.stdout.write(out)) await new Promise((go) => process.stdout.once("drain", go));
  }
}

function readByEventSource(address, packageFolder) {
  const { EventSource } = createRequire(import.meta.url)(packageFolder);
  const source = new EventSource(address);
  source.addEventListener("token_price", ({ data }) => {
    JSON.parse(data);
    process.stdout.write(`${data}\n`);
  });
  source.addEventListener("error", () => source.close());
}

async function main() {
  const [count, rounds] = [option("count", 400_000), option("rounds", 5)];
  const server = await startServer(["--count", String(count)]);
  const address = `${server.url}/sse/prices?method=token_price`;
  const sides = new Map([
    ["dexdata", productOn(server.url, ["--limit", String(count)])],
    ["undici", [process.execPath, self, "undici", address]],
  ]);
  const installed = installEventSource();
  if (installed.problem === undefined)
    sides.set("eventsource", [process.execPath, self, "eventsource", address, installed.folder]);
  else console.log(`LEFT OUT: the eventsource package cannot be installed here (${installed.problem})`);

  const times = new Map([...sides.keys()].map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, command] of sides) {
      const seconds = await timeOf(server, command, count);
      // The first round warms up the machine's caches.
      if (round >= 0) times.get(name).push(seconds);
    }
  }
  server.close();
  const own = times.get("dexdata");
  for (const [name, taken] of times) {
    const ratio = median(taken.map((seconds, round) => seconds / own[round]));
    const speed = Math.round(count / median(taken)).toLocaleString("en-US");
    console.log(
      `${name.padEnd(12)} ${speed.padStart(9)} events/s   dexdata is ${ratio.toFixed(2)} times as fast`,
    );
    if (ratio < 1) process.exitCode = 1;
  }
}

/** Seconds from its request to the end of the stream, with the lines it wrote counted; its start is not the stream's. */
async function timeOf(server, command, count) {
  const quoted = command.map((word) => `'${word}'`).join(" ");
  const child = spawn("bash", ["-c", `${quoted} | wc -l`], {
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += chunk));
  await new Promise((resolve) => child.once("close", resolve));
  const lines = Number(printed);
  if (lines !== count) throw new Error(`${lines} lines came of ${count}: ${quoted}`);
  return await server.nextStream();
}
