/** Bytes with a meaning somewhere in a stream, and near misses. */
const parts: readonly Buffer[] = [
  ...'\n,\n,\n,\r,\r\n,\n\n,data,data:,data: ,event,event:,id:,id,retry:,request_id:,:, ,:: ,\0,7,x,1500,-1,Data,\ufeff,é,€,😀,\u2028,\u0085,{"p":"1.10"}'
    .split(",")
    .map((text) => Buffer.from(text)),
  // Complete lines, some of which repeat with small changes.
  ...[
    'data: {"p":"1.10"}\n',
    'data:{"p":7}\n\n',
    "event: x\n",
    "id: 15\n",
    "id:0\n",
    "id: 015\n",
    "request_id: 3\n",
    'event: x\nid: 15\ndata: {"p":"1.10"}\nrequest_id: 3\n\n',
    'event: x\nid: 7\ndata: {"p":"2"}\nrequest_id: 41\n\n',
    'id: 015\r\ndata: {"p":"2"}\r\n\r\n',
    'id: 1\r\ndata: {"p":"1"}\r\n\r\n',
  ].map((text) => Buffer.from(text)),
  ...[[0xef], [0xbb, 0xbf], [0xff], [0xe2, 0x82], [0xf0, 0x9f], [0xc0, 0x8a], [0x80]].map((bytes) =>
    Buffer.from(bytes),
  ),
];

/** Returns a random sequence of the parts; with a seeded `random`, the same sequence each time. */
export function randomStream(random: () => number): Buffer {
  const count = Math.floor(random() * 24);
  return Buffer.concat(Array.from({ length: count }, () => draw(parts, random)));
}

/** Splits the bytes at random places, sometimes into an empty piece. */
export function* cutAnywhere(stream: Buffer, random: () => number): Generator<Buffer> {
  for (let at = 0; at < stream.length;) {
    const end = at + Math.floor(random() * 9);
    yield Buffer.from(stream.subarray(at, end));
    at = Math.min(end, stream.length);
  }
}

function draw<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("nothing to draw from");
  return value;
}
