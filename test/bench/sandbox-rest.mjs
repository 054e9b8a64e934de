// sandbox-rest.mjs [--rounds 5] [--seconds 0.7] [--running]: requests per second of the built sandbox,
// compared with a plain node:http server that builds the same rows. Run `npm run build` first. It takes about
// half a minute.
//
// Each scenario rotates over different pools, pages or cursors. The plain server has the same responses as
// plain objects; for each request it copies every row and serializes the response as JSON. Both servers and
// the load run in separate processes; the rounds are interleaved, and the ratio is the median of the rounds'
// ratios. `cpu` compares the processor time of the two servers per request, which varies less on a busy
// machine. The clock stands still unless --running is given: then the time advances every second, and lists
// and sums are computed again.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";

const POOL = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const KEY = "api_pro_bench";
const CONNECTIONS = 16;
const LEAST = 0.4;

if (process.argv[2] === "bare") serveBare();
else await main();

/** Responses by path are read from stdin; they are rebuilt for each request. */
function serveBare() {
  let text = "";
  process.stdin.on("data", (chunk) => (text += chunk));
  process.stdin.on("end", () => {
    const answers = new Map(JSON.parse(text));
    const server = http.createServer((message, reply) => {
      message.resume();
      const { headers, body } = answers.get(message.url);
      const json = JSON.stringify(copy(body));
      reply.writeHead(200, { ...headers, "Content-Length": Buffer.byteLength(json) });
      reply.end(json);
    });
    server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
  });
}

function copy(value) {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  const made = {};
  for (const name in value) made[name] = copy(value[name]);
  return made;
}

async function main() {
  const option = (name, standard) => {
    const at = process.argv.indexOf(`--${name}`);
    return at === -1 ? standard : Number(process.argv[at + 1]);
  };
  const [rounds, seconds] = [option("rounds", 5), option("seconds", 0.7)];
  const clock = process.argv.includes("--running") ? ["--speed", "1"] : ["--speed", "0"];
  const flags = ["--port", "0", "--rpm", "unlimited", "--credits", "1000000000000", "--env"];
  const sandbox = await start([
    "dist/dexdata.cjs",
    "sandbox",
    "--clock",
    "2026-10-02T12:00:00Z",
    ...clock,
    ...flags,
  ]);
  let bare;
  try {
    const base = /DEXDATA_PRO_BASE_URL=(\S+)/.exec(sandbox.printed)[1];
    const scenarios = await makeScenarios(base);
    const answers = [];
    for (const path of new Set(Object.values(scenarios).flat())) answers.push([path, await ask(base, path)]);
    bare = await start(["test/bench/sandbox-rest.mjs", "bare"], JSON.stringify(answers));
    const sides = { bare: [bare, bare.printed.trim()], sandbox: [sandbox, base] };
    await measureAll(scenarios, sides, rounds, seconds);
  } finally {
    sandbox.child.kill("SIGKILL");
    bare?.child.kill("SIGKILL");
  }
}

async function makeScenarios(base) {
  const pools = [];
  const pages = [];
  let path = "/networks/ethereum/pools/search?limit=100";
  for (let page = 0; page < 20; page += 1) {
    pages.push(path);
    const { body } = await ask(base, path);
    pools.push(...body.results.slice(0, 5).map(({ id }) => id));
    path = `/networks/ethereum/pools/search?limit=100&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  const numbered = Array.from({ length: 40 }, (_, index) => index + 1);
  return {
    usage: ["/usage"],
    pool: pools.map((id) => `/networks/ethereum/pools/${id}`),
    "search, 100 rows": pages,
    "transactions, 100 rows": numbered.map(
      (page) => `/networks/ethereum/pools/${POOL}/transactions?limit=100&page=${page}`,
    ),
  };
}

async function measureAll(scenarios, sides, rounds, seconds) {
  console.log("scenario                  bare/s  sandbox/s   ratio   cpu");
  let isBelow = false;
  for (const [name, paths] of Object.entries(scenarios)) {
    for (const [, base] of Object.values(sides)) await load(base, paths, 0.5);
    const found = [];
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? ["bare", "sandbox"] : ["sandbox", "bare"];
      const measured = {};
      for (const side of order) {
        const [{ child }, base] = sides[side];
        const before = cpuTicks(child.pid);
        const count = await load(base, paths, seconds);
        measured[side] = { rate: count / seconds, ticks: (cpuTicks(child.pid) - before) / count };
      }
      found.push(measured);
    }
    const rate = (side) => median(found.map((each) => each[side].rate));
    const ratio = median(found.map((each) => each.sandbox.rate / each.bare.rate));
    const cpu = median(found.map((each) => each.bare.ticks / each.sandbox.ticks));
    isBelow ||= ratio < LEAST;
    const numbers = [rate("bare").toFixed(0), rate("sandbox").toFixed(0), ratio.toFixed(2), cpu.toFixed(2)];
    const [a, b, c, d] = numbers;
    console.log(`${name.padEnd(24)} ${a.padStart(7)} ${b.padStart(10)} ${c.padStart(7)} ${d.padStart(5)}`);
  }
  console.log(isBelow ? `below the bar of ${LEAST}` : `all above the bar of ${LEAST}`);
  process.exitCode = isBelow ? 1 : 0;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** User and system time of a process, in kernel ticks; not a number without /proc. */
function cpuTicks(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return Number.NaN;
  }
}

/**
 * The number of complete responses received over several connections, each with one request in flight, in the
 * given time.
 */
async function load(base, paths, seconds) {
  const port = Number(new URL(base).port);
  const requests = paths.map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${KEY}\r\n\r\n`),
  );
  const end = performance.now() + seconds * 1000;
  let next = 0;
  let count = 0;
  const run = () =>
    new Promise((resolve, reject) => {
      let left = 0;
      let head = "";
      const send = () => {
        if (performance.now() >= end) return socket.destroy();
        next = (next + 1) % requests.length;
        socket.write(requests[next]);
      };
      const socket = net.connect(port, "127.0.0.1", send);
      socket.on("data", (chunk) => {
        if (left === 0) {
          head += chunk.latin1Slice(0, Math.min(chunk.length, 2000));
          const body = head.indexOf("\r\n\r\n") + 4;
          if (body === 3) return;
          if (!head.startsWith("HTTP/1.1 200")) return reject(new Error(head));
          const length = Number(/content-length: (\d+)/i.exec(head)[1]);
          left = length - (chunk.length - (body - (head.length - Math.min(chunk.length, 2000))));
          head = "";
        } else left -= chunk.length;
        if (left > 0) return;
        left = 0;
        count += 1;
        send();
      });
      socket.on("error", reject);
      socket.on("close", resolve);
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, run));
  return count;
}

/** A response as plain objects. Integers beyond 2^53 are rounded, which costs the plain server nothing. */
async function ask(base, path) {
  const answer = await fetch(base + path, { headers: { authorization: KEY } });
  const ours = [...answer.headers].filter(([name]) => name === "content-type" || name.startsWith("x-"));
  return { headers: Object.fromEntries(ours), body: await answer.json() };
}

/** Starts a separate server process and waits for its first output. */
async function start(args, input = "") {
  const env = { ...process.env };
  delete env.NODE_EXTRA_CA_CERTS;
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env });
  child.stdin.end(input);
  let printed = "";
  await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}`)));
    child.stdout.on("data", (chunk) => {
      printed += chunk;
      if (args[1] === "bare" || printed.includes("PRO_BASE_URL")) resolve();
    });
  });
  return { child, printed };
}
