// The floor of a list: one socket, no HTTP library, the next page asked for as soon as its cursor is seen, rows cut out
// by counting braces, nothing checked. node list-socket.cjs URL [follow]; "follow" reads the pages and writes no row.
"use strict";
const url = new URL(process.argv[2]);
const isFollowOnly = process.argv[3] === "follow";
const socket = require("node:net").connect(Number(url.port), url.hostname, () => ask(""));
socket.setNoDelay(true);
const ask = (cursor) =>
  socket.write(`GET ${url.pathname}${url.search}${cursor} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);

let page = null;
let filled = 0;
socket.on("data", (received) => {
  let bytes = received;
  if (page === null) {
    const end = bytes.indexOf("\r\n\r\n");
    page = Buffer.allocUnsafe(Number(/content-length: (\d+)/i.exec(bytes.latin1Slice(0, end))[1]));
    filled = 0;
    bytes = bytes.subarray(end + 4);
  }
  filled += bytes.copy(page, filled);
  if (filled < page.length) return;
  const whole = page;
  page = null;
  const mark = '"next_cursor":"';
  const at = whole.lastIndexOf(mark) + mark.length;
  const cursor = whole.latin1Slice(at, whole.indexOf(34, at));
  if (cursor !== "") ask(`&cursor=${cursor}`);
  if (!isFollowOnly) write(whole);
  if (cursor === "") socket.destroy();
});

const [quote, backslash, comma, newline] = [34, 92, 44, 10];
function write(bytes) {
  const start = bytes.indexOf("[") + 1;
  let depth = 0;
  let at = start;
  for (;;) {
    const byte = bytes[at++];
    if (byte === quote) {
      for (let inside = bytes[at++]; inside !== quote; inside = bytes[at++]) if (inside === backslash) at++;
    } else if ((byte | 32) === 123) depth++;
    else if ((byte | 32) === 125) {
      if (depth === 0) break;
      depth--;
      if (depth === 0 && bytes[at] === comma) bytes[at++] = newline;
    }
  }
  bytes[at - 1] = newline;
  if (process.stdout.write(bytes.subarray(start, at))) return;
  socket.pause();
  process.stdout.once("drain", () => socket.resume());
}
