// Measurements and their baselines: each suite runs commands interleaved and returns figures. A figure must reach its
// bar; the `short` sizes only detect large losses.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compare, interleave } from "./interleave.mjs";
import { median, startServer, temporary } from "./processes.mjs";

const node = process.execPath;
const product = `'${node}' dist/dexdata.cjs`;
const baseline = (file) => `'${node}' '${fileURLToPath(new URL(`baselines/${file}`, import.meta.url))}'`;
/** Only in the full form: the start of other programs takes a different time on each machine. */
const hasCurlAndJq = spawnSync("bash", ["-c", "command -v curl && command -v jq"]).status === 0;

/** `ratio` (wall and cpu) must be at most, or for rates at least, the bar. */
const atMost = (name, ratio, bar) => ({ name, ratio, bar, isMet: ratio.wall <= bar, sign: "≤" });
const inverse = ({ wall, cpu }) => ({ wall: 1 / wall, cpu: 1 / cpu });
const atLeast = (name, ratio, bar) => ({
  name,
  ratio: inverse(ratio),
  bar,
  isMet: 1 / ratio.wall >= bar,
  sign: "≥",
});
const megabytes = (name, peak, bar) => ({ name, peak, bar, isMet: peak <= bar, sign: "≤" });

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
    atMost("--version vs. node -e 0", compare(measured.version, measured.node), 1.15),
    atMost("--help vs. node -e 0", compare(measured.help, measured.node), 1.6),
  ];
}

const oneShot =
  (latency) =>
  async ({ rounds }) =>
    withServer("list-server.mjs", ["--latency", String(latency)], (url) => {
      const pool = `0x${"1".repeat(40)}`;
      const address = `${url}/networks/ethereum/pools/${pool}`;
      const measured = interleave(
        {
          http: `${baseline("one-shot-http.cjs")} ${address}`,
          fetch: `${baseline("one-shot-fetch.mjs")} ${address}`,
          product: `${product} pool ethereum ${pool} -o table --base-url ${url}`,
        },
        { rounds },
      );
      const beside = compare(measured.product, measured.http);
      if (latency > 0) return [atMost(`one pool at ${latency} ms vs. node:http`, beside, 1.4)];
      return [
        atMost("one pool as a table vs. node:http", beside, 2.7),
        atMost("one pool as a table vs. fetch", compare(measured.product, measured.fetch), 0.8),
        megabytes("one pool: memory (MB)", measured.product.peak, 65),
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
      atLeast("a list: rows/s vs. a raw socket", compare(own, measured.socket), 0.4),
      atLeast("a list: rows/s vs. a fetch script", compare(own, measured.fetch), 2.5),
      atLeast(
        "a list, --validate: rows/s vs. a fetch script",
        compare(measured.validated, measured.fetch),
        0.7,
      ),
      megabytes("a list: memory (MB)", own.peak, 120),
    ];
    if (!comparesShell) return figures;
    const ofLoop = compare(own, measured.loop);
    const perPage = { wall: (ofLoop.wall * 40) / pages, cpu: (ofLoop.cpu * 40) / pages };
    return [
      ...figures,
      atLeast("a list: rows/s vs. curl piped into jq", compare(own, measured.range), 3),
      atLeast("a list: rows/s vs. a shell loop", perPage, 40),
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
      atMost("a list at 20 ms vs. following cursors only", compare(measured.product, measured.follow), 1.1),
    ];
  });
}

/** The memory of the program itself, from one run each. */
const timesMemory = (name, peak, before, bar) => ({
  name,
  ratio: { wall: peak / before },
  bar,
  isMet: peak / before <= bar,
  sign: "≤",
});

/** Reads 30 MB per second outside Node, so that only the memory of the program is measured. */
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
        "a stream, each event checked: events/s vs. a raw splitter",
        compare(measured.product, measured.http),
        0.55,
      ),
      atLeast("a stream: events/s vs. a fetch script", compare(measured.product, measured.fetch), 2),
      megabytes("a stream: memory (MB)", measured.product.peak, 120),
    ];
    if (!withSlowReader) return figures;
    const behind = interleave({ product: `${tail} | ${slowly}` }, { rounds: 0, seconds: 600 });
    return [
      ...figures,
      timesMemory(
        "a stream with a slow reader: memory vs. without",
        behind.product.peak,
        measured.product.peak,
        1.1,
      ),
    ];
  });
}

async function table({ rounds, pages }) {
  return withServer("list-server.mjs", ["--pages", String(pages)], (url) => {
    const pull = `${product} tokens search ethereum --all --rpm unlimited --base-url ${url}`;
    const measured = interleave({ ndjson: `${pull} -o ndjson`, table: `${pull} -o table` }, { rounds });
    return [atMost("rows as a table vs. NDJSON", compare(measured.table, measured.ndjson), 3)];
  });
}

/** A prefix may cost a fifth of the speed at most. */
async function prefix({ rounds, pages, events }) {
  const list = await withServer("list-server.mjs", ["--pages", String(pages)], (url) => {
    const pull = `${product} tokens search ethereum --all --rpm unlimited -o ndjson --base-url ${url}`;
    return interleave({ plain: pull, prefix: `${pull} --prefix chain,address` }, { rounds });
  });
  const live = await withServer("stream-server.mjs", ["--count", String(events)], (url) => {
    const tail = `${product} stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 -o ndjson --limit ${events} --streaming-url ${url}`;
    return interleave({ plain: tail, prefix: `${tail} --prefix chain,address` }, { rounds });
  });
  return [
    atLeast("a list with --prefix: rows/s vs. without", compare(list.prefix, list.plain), 0.8),
    atLeast("a stream with --prefix: events/s vs. without", compare(live.prefix, live.plain), 0.8),
  ];
}

/** Two alerts may cost a tenth of the speed at most. The runs end with the stream, because --limit would count alerts. */
async function alerts({ rounds, events }) {
  const file = path.join(temporary(), "events.ndjson");
  return withServer("stream-server.mjs", ["--count", String(events)], (url) => {
    const tail = (flags) =>
      `rm -f ${file}; ${product} stream ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --out ${file} ` +
      `--max-reconnects 0 --streaming-url ${url} ${flags}; test "$(wc -l < ${file})" = ${events}`;
    const two = tail("--when 'price > 1000000' --when 'price < 5'");
    const measured = interleave({ plain: tail(""), two }, { rounds, seconds: 600 });
    const ratio = compare(measured.two, measured.plain);
    return [atLeast("a stream with two alerts: events/s vs. without", ratio, 0.9)];
  });
}

/** The growth of peak memory from an early part of a pull to its end. */
async function growth({ rounds, pages, early }) {
  return withServer("list-server.mjs", ["--pages", String(pages)], (url) => {
    const pull = `${product} tokens search ethereum --rpm unlimited -o ndjson --base-url ${url}`;
    const commands = { part: `${pull} --limit ${early * 100}`, whole: `${pull} --all` };
    const beyond = Array.from({ length: rounds }, () => {
      const { part, whole } = interleave(commands, { rounds: 0 });
      return whole.peak - part.peak;
    });
    return [megabytes(`a list: memory of ${pages} pages beyond ${early} (MB)`, median(beyond), 12)];
  });
}

/** Prices of 200 tokens at times of 29 days, beside the same requests without prices. */
async function prices({ rounds, latency, times }) {
  const server = await startServer(["--latency", String(latency)], "candle-server.mjs");
  try {
    const folder = temporary();
    const now = 1_795_737_600;
    const pull = (count) => {
      const file = path.join(folder, `times-${count}`);
      const lines = Array.from({ length: count }, (_, index) => {
        const token = `0x${String((index * 7919) % 200).padStart(40, "0")}`;
        return `ethereum:${token} ${now - 10_800 - ((index * 104_729) % 2_500_000)}\n`;
      });
      writeFileSync(file, lines.join(""));
      const env = `DEXDATA_NOW=2026-11-27T00:00:00Z DEXDATA_API_KEY=api_pro_s3cr3tPart DEXDATA_TIER=pro DEXDATA_PRO_BASE_URL=${server.url}`;
      return `${env} ${product} prices @${file} --rpm unlimited -o ndjson`;
    };
    const commands = { product: pull(times), more: pull(3 * times) };
    interleave({ product: commands.product }, { rounds: 0 });
    const asked = path.join(folder, "requests");
    const paths = (await (await fetch(`${server.url}/asked`)).text()).split("\n");
    writeFileSync(asked, paths.map((each) => `${server.url}${each}\n`).join(""));
    const requests = `${baseline("requests-http.cjs")} ${asked}`;
    const measured = interleave({ requests, ...commands }, { rounds });
    return [
      atMost(`${times} prices vs. their requests alone`, compare(measured.product, measured.requests), 1.2),
      megabytes(
        `${times} prices: memory of three times as many (MB)`,
        measured.more.peak - measured.product.peak,
        12,
      ),
    ];
  } finally {
    server.close();
  }
}

/** Each suite with its sizes in the full and the short form. */
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
  prefix: { measure: prefix, full: { rounds: 7, pages: 2000, events: 1_000_000 } },
  alerts: { measure: alerts, full: { rounds: 5, events: 1_000_000 } },
  prices: { measure: prices, full: { rounds: 9, latency: 80, times: 10_000 } },
  table: { measure: table, full: { rounds: 3, pages: 100 }, short: { rounds: 2, pages: 30 } },
};
