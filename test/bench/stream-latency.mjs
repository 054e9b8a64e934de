// stream-latency.mjs [--rate 1000] [--seconds 8] [--rounds 3]: milliseconds from the server's write of an
// event until its line is read from the program's standard output. Run `npm run build` first. It takes about
// a minute.
//
// `curl -N` passes the bytes on without parsing: its time is the cost of the sockets, the pipe and this
// reader. Added latency is the program's time beyond that, quantile by quantile, as the median of interleaved
// rounds. The first fifth of the events is not counted. Exits with 1 if the added p99 is 5 ms or more, or an
// event is missing.
import { spawn } from "node:child_process";
import { environment, median, option, productOn, quantile, startServer } from "./processes.mjs";

const [rate, seconds, rounds] = [option("rate", 1000), option("seconds", 8), option("rounds", 3)];
const count = rate * seconds;
const most = 5;

const server = await startServer(["--rate", String(rate), "--count", String(count)]);
const sides = {
  curl: ["curl", "-sN", `${server.url}/sse/prices?method=token_price`],
  dexdata: productOn(server.url, ["--limit", String(count)]),
};
const quantiles = { p50: 0.5, p90: 0.9, p99: 0.99 };
const measured = { curl: [], dexdata: [] };
for (let round = 0; round < rounds; round++) {
  for (const name of Object.keys(sides)) measured[name].push(await latencies(name, sides[name]));
}
server.close();

const taken = (name, part) => median(measured[name].map((sorted) => quantile(sorted, part)));
for (const [label, part] of Object.entries(quantiles)) {
  const added = taken("dexdata", part) - taken("curl", part);
  const figures = ["curl", "dexdata"].map((name) => `${name} ${taken(name, part).toFixed(2)} ms`);
  console.log(`${label}   ${figures.join("   ")}   added ${added.toFixed(2)} ms`);
  if (label === "p99" && added >= most) process.exitCode = 1;
}

/** Of every counted event, from fastest to slowest. */
async function latencies(name, [command, ...words]) {
  const child = spawn(command, words, { env: environment(), stdio: ["ignore", "pipe", "ignore"] });
  const all = [];
  let rest = "";
  child.stdout.on("data", (chunk) => {
    const now = process.hrtime.bigint();
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const sent = /"ns":"(\d+)"/.exec(line);
      if (sent !== null) all.push(Number(now - BigInt(sent[1])) / 1e6);
    }
  });
  await new Promise((resolve) => child.once("close", resolve));
  if (all.length !== count) throw new Error(`${all.length} events of ${count} came through ${name}`);
  return all.slice(count / 5).toSorted((a, b) => a - b);
}
