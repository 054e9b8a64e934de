// stream-server.mjs [--rate 0] [--count 0]: a price stream on 127.0.0.1 that sends as many events a second as asked
// for, or with rate 0 as fast as the reader takes them; after --count events it ends the stream (0: never). For the
// benchmarks beside it. Prints its URL, and how long each stream took once it is over; ends when its stdin does, so that nothing is left behind.
//
// Every event carries its number in the stream (`n`) and when it was sent (`ns`, nanoseconds of the clock that all
// processes of a machine share). A price is a decimal string of 20 digits. Pings come every 15 s.
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
  // A client that begins to read when the first byte comes should not wait for the first event.
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
      // All of a batch but the numbers is written once: the reader should be what takes the time.
      const [head, tail] = frame("?").split("?");
      let text = "";
      for (const end = Math.min(n + batch, last); n < end; n++) text += head + n + tail;
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
    // Each in a write of its own, as events come in life.
    for (; n < due; n++) response.write(frame(n));
    if (n >= last) response.end();
  }, 1);
  return { stop: () => clearInterval(timer) };
}

function frame(n) {
  const price = `2145.${String(process.hrtime.bigint() % 10n ** 16n).padStart(16, "0")}`;
  return `event: token_price\ndata: {"address":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","chain":"ethereum","price":"${price}","timestamp":${now()},"n":${n},"ns":"${process.hrtime.bigint()}"}\nrequest_id: 0\n\n`;
}

function now() {
  return Math.floor(Date.now() / 1000);
}
