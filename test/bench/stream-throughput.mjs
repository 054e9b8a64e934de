// stream-throughput.mjs [--count 3000000] [--rounds 5]: events per second of the built program under a flood,
// compared with typical hand-written clients. Run `npm run build` first. It takes about two minutes.
//
// Each client reads the same stream, checks that each event is JSON, and writes one line per event into a
// pipe that `wc -l` counts. `undici`: request, split the text into lines, JSON.parse, one write per chunk.
// `eventsource`: the package's EventSource, JSON.parse, one write per event; it is installed into a temporary
// directory for the run. The rounds are interleaved, and a ratio is the median of the rounds' ratios. Exits
// with 1 if the program is slower than another client.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { environment, installEventSource, median, option, productOn, startServer } from "./processes.mjs";

const self = fileURLToPath(import.meta.url);
const [role, url, folder] = process.argv.slice(2);
if (role === "undici") await readByUndici(url);
else if (role === "eventsource") readByEventSource(url, folder);
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
  const [count, rounds] = [option("count", 3_000_000), option("rounds", 5)];
  const fast = { count, server: await startServer(["--count", String(count)]) };
  const sides = new Map([
    ["dexdata", { ...fast, command: productOn(fast.server.url, ["--limit", String(count)]) }],
    ["undici", { ...fast, command: [process.execPath, self, "undici", `${fast.server.url}/sse/prices`] }],
  ]);
  const installed = installEventSource();
  // It is many times slower, so it gets a tenth of the events.
  const few = Math.ceil(count / 10);
  const slow = { count: few, server: await startServer(["--count", String(few)]) };
  const command = [process.execPath, self, "eventsource", `${slow.server.url}/sse/prices`, installed.folder];
  if (installed.problem === undefined) sides.set("eventsource", { ...slow, command });
  else console.log(`LEFT OUT: the eventsource package cannot be installed here (${installed.problem})`);

  const speeds = new Map([...sides.keys()].map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, side] of sides) {
      const speed = await speedOf(side);
      // The first round warms up the machine's caches.
      if (round >= 0) speeds.get(name).push(speed);
    }
  }
  fast.server.close();
  slow.server.close();
  const own = speeds.get("dexdata");
  for (const [name, measured] of speeds) {
    const ratio = median(measured.map((speed, round) => own[round] / speed));
    const speed = Math.round(median(measured)).toLocaleString("en-US");
    console.log(
      `${name.padEnd(12)} ${speed.padStart(9)} events/s   dexdata is ${ratio.toFixed(2)} times as fast`,
    );
    if (ratio < 1) process.exitCode = 1;
  }
}

/** Events per second from the request to the end of the stream, counted as written lines. */
async function speedOf({ server, command, count }) {
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
  return count / (await server.nextStream());
}
