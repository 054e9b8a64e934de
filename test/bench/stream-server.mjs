// stream-server.mjs [--rate 0] [--count 0]: a price stream on 127.0.0.1 that sends this many events per
// second, or with rate 0 as fast as the reader takes them; after --count events it ends the stream (0:
// never). For the benchmarks in this directory. Prints its URL, and the duration of each stream when it ends.
// The server ends when its stdin does, so that no process stays behind.
//
// Every event contains its number in the stream (`n`) and its send time (`ns`, nanoseconds of the clock that
// all processes of a machine share). A price is a decimal string of up to 20
// digits, and differs from the one before. Pings are sent every 15 s.
import http from "node:http";

const option = (name, standard) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? standard : Number(process.argv[at + 1]);
};
const [rate, count] = [option("rate", 0), option("count", 0)];
const last = count === 0 ? Number.POSITIVE_INFINITY : count;
const batch = 256;

const server = http.createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream", "x-api-plan": "keyless" });
  // A client that starts to read at the first byte should not wait for the first event.
  response.write(": open\n\n");
  const sent = rate === 0 ? flood(response) : atRate(response);
  const pings = setInterval(() => response.write(`event: ping\ndata: {"time":${now()}}\n\n`), 15_000);
  const start = performance.now();
  response.on("close", () => {
    console.log(`stream ${((performance.now() - start) / 1000).toFixed(4)} s`);
    clearInterval(pings);
    sent.stop();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit());

function flood(response) {
  let n = 0;
  const more = () => {
    for (let isTaken = true; isTaken && n < last;) {
      // Everything in a batch except the numbers is built once, so that most of the time is spent in the
      // reader.
      const [head, middle, tail] = frame("?").split("?");
      let text = "";
      for (const end = Math.min(n + batch, last); n < end; n++) text += head + n + middle + n + tail;
      isTaken = response.write(text);
    }
    if (n >= last) response.end();
  };
  response.on("drain", more);
  more();
  return { stop: () => response.off("drain", more) };
}

function atRate(response) {
  let n = 0;
  const start = performance.now();
  const timer = setInterval(() => {
    const due = Math.min(last, Math.floor(((performance.now() - start) / 1000) * rate));
    // Each event is a separate write, as on a real stream.
    for (; n < due; n++) response.write(frame(n));
    if (n >= last) response.end();
  }, 1);
  return { stop: () => clearInterval(timer) };
}

function frame(n) {
  const price = `2145.${String(process.hrtime.bigint() % 10n ** 9n).padStart(9, "0")}${n}`;
  return `event: token_price\ndata: {"address":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","chain":"ethereum","price":"${price}","timestamp":${now()},"n":${n},"ns":"${process.hrtime.bigint()}"}\nrequest_id: 0\n\n`;
}

function now() {
  return Math.floor(Date.now() / 1000);
}
