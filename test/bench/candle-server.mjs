// candle-server.mjs [--latency 0]: the candles of any token, without holes, on 127.0.0.1, for the benchmarks in this
// directory. A response is kept, and sent after --latency milliseconds. /asked lists the requests since the last such
// list. Prints its URL; ends when its stdin does.
import http from "node:http";

const at = process.argv.indexOf("--latency");
const latency = at === -1 ? 0 : Number(process.argv[at + 1]);
const head = { "content-type": "application/json", "x-api-plan": "pro" };
const lengths = { "1m": 60, "1h": 3600 };
const utc = (seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

function candle(opens, interval) {
  const price = (digits) => `0.0${String(opens * 7919 + digits * 104_729)}`;
  const [open, high, low, close] = [1, 2, 3, 4].map(price);
  return `{"time_open":"${utc(opens)}","time_close":"${utc(opens + interval)}","open":${open},"high":${high},"low":${low},"close":${close},"volume":${opens % 99_991}.25}`;
}

const kept = new Map();
function candles(query) {
  const known = kept.get(query.toString());
  if (known !== undefined) return known;
  const interval = lengths[query.get("interval")];
  const [start, end] = ["start", "end"].map((name) => Number(query.get(name)));
  const rows = [];
  const first = Math.ceil(start / interval) * interval;
  for (let opens = first; opens < end && rows.length < Number(query.get("limit")); opens += interval)
    rows.push(candle(opens, interval));
  const body = Buffer.from(`[${rows.join(",")}]`);
  kept.set(query.toString(), body);
  return body;
}

const asked = [];
const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.url === "/asked") return void response.end(asked.splice(0).join("\n"));
  asked.push(request.url);
  const body = candles(new URL(request.url, "http://127.0.0.1").searchParams);
  const answer = () => response.writeHead(200, { ...head, "content-length": body.length }).end(body);
  if (latency === 0) answer();
  else setTimeout(answer, latency);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit());
