// What is measured, beside what: each suite runs commands interleaved and gives figures. A bar is what a figure must
// reach; `short` sizes are for a look at whether something was lost.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compare, interleave } from "./interleave.mjs";
import { median, startServer } from "./processes.mjs";

const node = process.execPath;
const product = `'${node}' dist/dexdata.cjs`;
const baseline = (file) => `'${node}' '${fileURLToPath(new URL(`baselines/${file}`, import.meta.url))}'`;
/** In full only: how soon other programs start differs from machine to machine. */
const hasCurlAndJq = spawnSync("bash", ["-c", "command -v curl && command -v jq"]).status === 0;

/** `ratio` (wall and cpu) must be at most, or for rates at least, the bar. */
const atMost = (name, ratio, bar, aim) => ({ name, ratio, bar, aim, isMet: ratio.wall <= bar, sign: "≤" });
const inverse = ({ wall, cpu }) => ({ wall: 1 / wall, cpu: 1 / cpu });
const atLeast = (name, ratio, bar, aim) => ({
  name,
  ratio: inverse(ratio),
  bar,
  aim,
  isMet: 1 / ratio.wall >= bar,
  sign: "≥",
});
const megabytes = (name, peak, bar, aim) => ({ name, peak, bar, aim, isMet: peak <= bar, sign: "≤" });

async function withServer(file, flags, measure) {
  const server = await startServer(flags, file);
  try {
    return measure(server.url);
  } finally {
    server.close();
  }
}

function start({ rounds }) {
  const measured = interleave(
    { node: `'${node}' -e 0`, version: `${product} --version`, help: `${product} --help` },
    { rounds },
  );
  return [
    atMost("--version beside node -e 0", compare(measured.version, measured.node), 1.15, 1),
    atMost("--help beside node -e 0", compare(measured.help, measured.node), 1.6, 1.4),
  ];
}

const oneShot =
  (latency) =>
  async ({ rounds }) =>
    withServer("list-server.mjs", ["--latency", String(latency)], (url) => {
      const address = `${url}/networks/ethereum/pools/0x1`;
      const measured = interleave(
        {
          http: `${baseline("one-shot-http.cjs")} ${address}`,
          fetch: `${baseline("one-shot-fetch.mjs")} ${address}`,
          product: `${product} pool ethereum 0x1 -o table --base-url ${url}`,
        },
        { rounds },
      );
      const beside = compare(measured.product, measured.http);
      if (latency > 0) return [atMost(`one pool at ${latency} ms, beside node:http`, beside, 1.4, 1.2)];
      return [
        atMost("one pool as a table, beside node:http", beside, 2.6, 1.9),
        atMost("one pool as a table, beside fetch", compare(measured.product, measured.fetch), 0.7, 0.5),
        megabytes("one pool: memory (MB)", measured.product.peak, 65, 52),
      ];
    });

async function bulk({ rounds, pages, withShell = false }) {
  const comparesShell = withShell && hasCurlAndJq;
  return withServer("list-server.mjs", ["--pages", String(pages)], (url) => {
    const list = `${url}/networks/ethereum/tokens/search?limit=100`;
    const pull = `${product} tokens search ethereum --all --rpm unlimited -o ndjson --base-url ${url}`;
    const range = `curl -s '${list}&cursor=c[0-${pages - 1}]' | jq -c '.results[]'`;
    const loop = `c=; for ((n = 0; n < 40; n++)); do p=$(curl -s "${list}\${c:+&cursor=$c}"); jq -c '.results[]' <<< "$p"; c=$(jq -r .next_cursor <<< "$p"); done`;
    const measured = interleave(
      {
        socket: `${baseline("list-socket.cjs")} '${list}'`,
        fetch: `${baseline("list-fetch.mjs")} '${list}'`,
        product: pull,
        validated: `${pull} --validate`,
        ...(comparesShell ? { range, loop } : {}),
      },
      { rounds, seconds: 600 },
    );
    const own = measured.product;
    const figures = [
      atLeast("a list: rows/s of a raw socket's", compare(own, measured.socket), 0.5, 0.65),
      atLeast("a list: rows/s of a fetch script's", compare(own, measured.fetch), 3, 4),
      atLeast(
        "a list, --validate: rows/s of a fetch script's",
        compare(measured.validated, measured.fetch),
        1.4,
        2,
      ),
      megabytes("a list: memory (MB)", own.peak, 120, 105),
    ];
    if (!comparesShell) return figures;
    const ofLoop = compare(own, measured.loop);
    const perPage = { wall: (ofLoop.wall * 40) / pages, cpu: (ofLoop.cpu * 40) / pages };
    return [
      ...figures,
      atLeast("a list: rows/s of curl into jq", compare(own, measured.range), 5, 10),
      atLeast("a list: rows/s of a shell loop's", perPage, 100, 130),
    ];
  });
}

async function follow({ rounds, pages }) {
  return withServer("list-server.mjs", ["--pages", String(pages), "--latency", "20"], (url) => {
    const list = `${url}/networks/ethereum/tokens/search?limit=100`;
    const pull = `${product} tokens search ethereum --all --rpm unlimited -o ndjson --base-url ${url}`;
    const measured = interleave(
      { follow: `${baseline("list-socket.cjs")} '${list}' follow`, product: pull },
      { rounds },
    );
    return [
      atMost(
        "a list at 20 ms, beside following alone",
        compare(measured.product, measured.follow),
        1.06,
        1.03,
      ),
    ];
  });
}

/** Of what the program holds itself: one run of each. */
const timesMemory = (name, peak, before, bar, aim) => ({
  name,
  ratio: { wall: peak / before },
  bar,
  aim,
  isMet: peak / before <= bar,
  sign: "≤",
});

/** 30 MB a second, by a reader that is no Node process: only the program's own memory is measured. */
const slowly = `while dd bs=64k count=16 iflag=fullblock of=/dev/null 2>&1 | grep -q '^16+'; do sleep 0.033; done`;

async function stream({ rounds, events, withSlowReader = false }) {
  return withServer("stream-server.mjs", ["--count", String(events)], (url) => {
    const asset = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
    const tail = `${product} stream ${asset} -o ndjson --limit ${events} --streaming-url ${url}`;
    const measured = interleave(
      {
        http: `${baseline("stream-http.cjs")} ${url}/sse/prices`,
        fetch: `${baseline("stream-fetch.mjs")} ${url}/sse/prices`,
        product: tail,
      },
      { rounds, seconds: 600 },
    );
    const figures = [
      atLeast(
        "a stream, each event checked: events/s of a raw cutter's",
        compare(measured.product, measured.http),
        0.45,
        0.5,
      ),
      atLeast("a stream: events/s of a fetch script's", compare(measured.product, measured.fetch), 1, 2),
      megabytes("a stream: memory (MB)", measured.product.peak, 125, 105),
    ];
    if (!withSlowReader) return figures;
    const behind = interleave({ product: `${tail} | ${slowly}` }, { rounds: 0, seconds: 600 });
    return [
      ...figures,
      timesMemory(
        "a stream behind a slow reader: memory beside none",
        behind.product.peak,
        measured.product.peak,
        1.1,
        1,
      ),
    ];
  });
}

async function table({ rounds, pages }) {
  return withServer("list-server.mjs", ["--pages", String(pages)], (url) => {
    const pull = `${product} tokens search ethereum --all --rpm unlimited --base-url ${url}`;
    const measured = interleave({ ndjson: `${pull} -o ndjson`, table: `${pull} -o table` }, { rounds });
    return [atMost("rows as a table beside NDJSON", compare(measured.table, measured.ndjson), 3, 2)];
  });
}

/** What a pull holds at its most once it is under way, and what it then comes to. */
async function growth({ rounds, pages, early }) {
  return withServer("list-server.mjs", ["--pages", String(pages)], (url) => {
    const pull = `${product} tokens search ethereum --rpm unlimited -o ndjson --base-url ${url}`;
    const commands = { part: `${pull} --limit ${early * 100}`, whole: `${pull} --all` };
    const beyond = Array.from({ length: rounds }, () => {
      const { part, whole } = interleave(commands, { rounds: 0 });
      return whole.peak - part.peak;
    });
    return [megabytes(`a list: memory of ${pages} pages beyond ${early} (MB)`, median(beyond), 5, 2)];
  });
}

/** By name: how it is measured, in full and in short. */
export const suites = {
  start: { measure: start, full: { rounds: 21 }, short: { rounds: 7 } },
  "one-shot": { measure: oneShot(0), full: { rounds: 21 }, short: { rounds: 5 } },
  "one-shot-80ms": { measure: oneShot(80), full: { rounds: 15 } },
  bulk: {
    measure: bulk,
    full: { rounds: 5, pages: 2000, withShell: true },
    short: { rounds: 2, pages: 300 },
  },
  growth: { measure: growth, full: { rounds: 5, pages: 4000, early: 1200 } },
  follow: { measure: follow, full: { rounds: 3, pages: 300 } },
  stream: {
    measure: stream,
    full: { rounds: 5, events: 1_000_000, withSlowReader: true },
    short: { rounds: 2, events: 150_000 },
  },
  table: { measure: table, full: { rounds: 3, pages: 100 }, short: { rounds: 2, pages: 30 } },
};
