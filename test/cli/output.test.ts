import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { fieldOf, rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { json, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const sandbox = useSandbox();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

let server: ScriptedServer;

async function answerWith(body: string, words: string | readonly string[], isTerminal = false) {
  server = await serveInTest(() => json(body));
  return await dexdata(words, { env: { DEXDATA_BASE_URL: server.url }, isTerminal: { stdout: isTerminal } });
}

/** Numbers that a double would change, an unknown field, and insignificant white space. */
const row = String.raw`{"id":"0x0000000000000000000000000000000000000001","chain":"ethereum","amount":4272800710322643001,"price":1.10,"tiny":1e-9,"zero":-0,"text":"a\/bé ","new":{"x":[1.0]}}`;
const spaced = row.replaceAll(",", " ,\n\t").replaceAll(":", " : ");

describe("rows", () => {
  test("are printed when the run fails, even if a table buffered them", async () => {
    const words = `pool ethereum ${pool} 0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b 0x0000000000000000000000000000000000000001`;
    const { exit, stdout } = await dexdata(
      `${words} --sandbox --faults 500@3 --retries 0 --parallel 1 -o table --columns token-0,token-1`,
    );
    expect({ exit, stdout }).toEqual({
      exit: 7,
      stdout: "TOKEN 0  TOKEN 1\nUSDC     WETH\nWETH     USDT\n",
    });
  });

  test("keep every digit and unknown field in ndjson, as the service sent them", async () => {
    const { stdout } = await answerWith(
      `{"results":[${row},${row.replace("0x0000000000000000000000000000000000000001", "0x0000000000000000000000000000000000000002")}],"has_next_page":false}`,
      "pools search ethereum -o ndjson",
    );
    expect(stdout).toBe(
      `${row}\n${row.replace("0x0000000000000000000000000000000000000001", "0x0000000000000000000000000000000000000002")}\n`,
    );
  });

  test("lose only insignificant white space", async () => {
    const { stdout } = await answerWith(
      `{ "results" : [ ${spaced} ] , "has_next_page" : false }`,
      "pools search ethereum -o ndjson",
    );
    expect(stdout).toBe(`${row}\n`);
  });

  test("are one bare array in json, compact in a pipe", async () => {
    const { stdout } = await answerWith(
      `{"results":[${spaced}],"has_next_page":false}`,
      "pools search ethereum -o json",
    );
    expect(stdout).toBe(`[${row}]\n`);
  });

  test("are indented in json on a terminal, with the same digits", async () => {
    const { stdout } = await answerWith(
      row,
      `pool ethereum 0x0000000000000000000000000000000000000001 -o json`,
      true,
    );
    expect(stdout).toContain('"amount": 4272800710322643001,\n');
    expect(stdout).toContain('"price": 1.10,\n');
    expect(stdout.replaceAll(/\s/gu, "")).toBe(row.replaceAll(/\s/gu, ""));
  });

  test("keep their digits with --fields, as a flat object in the order typed", async () => {
    const { stdout } = await answerWith(
      // A field that the service may have added, whose name is unlike those that are known.
      `{"results":[${row.replace('"price"', '"rate"')}],"has_next_page":false}`,
      "pools search ethereum -o ndjson --fields rate,amount,new.x.0,gone",
    );
    expect(stdout).toBe('{"rate":1.10,"amount":4272800710322643001,"new.x.0":1.0,"gone":null}\n');
  });

  test("promise 2: cannot control a terminal or a pipe, and lose nothing", async () => {
    const hostile = {
      id: "0x0000000000000000000000000000000000000001",
      name: "\u202Eevil\u200B\u2028\u0085\u007F\u001B]0;x\u0007\n",
    };
    for (const words of [
      "token ethereum 0x0000000000000000000000000000000000000001 -o ndjson",
      "token ethereum 0x0000000000000000000000000000000000000001 -o json",
    ]) {
      const { stdout } = await answerWith(JSON.stringify(hostile), words);
      // oxlint-disable-next-line no-control-regex
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u2028\u202e]/u);
      expect(JSON.parse(stdout)).toEqual(hostile);
    }
    const { stdout } = await answerWith(
      JSON.stringify(hostile),
      "token ethereum 0x0000000000000000000000000000000000000001 -o table",
    );
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u2028\u202e]/u);
  });
});

describe("search", () => {
  const body = '{"tokens":[{"id":"0x1","chain":"a"}],"pools":[{"id":"0x2","chain":"a"}],"dexes":[]}';

  test("rule 36: names the group of each row in ndjson", async () => {
    const { stdout } = await answerWith(body, "search x -o ndjson");
    expect(stdout).toBe(
      '{"group":"tokens","row":{"id":"0x1","chain":"a"}}\n{"group":"pools","row":{"id":"0x2","chain":"a"}}\n',
    );
  });

  test("prints bare rows with one --type", async () => {
    const { stdout } = await answerWith(body, "search x --type pools -o ndjson");
    expect(stdout).toBe('{"id":"0x2","chain":"a"}\n');
  });

  test("prints one object in json, with the requested groups", async () => {
    const { stdout } = await answerWith(body, "search x --type tokens,dexes -o json");
    expect(stdout).toBe('{"tokens":[{"id":"0x1","chain":"a"}],"dexes":[]}\n');
  });

  test("rule 104: exits 0 if nothing is found", async () => {
    const { exit, stdout } = await answerWith('{"tokens":[],"pools":[],"dexes":[]}', "search x -o ndjson");
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
  });

  test("rule 103: sends the query as typed", async () => {
    const { exit } = await answerWith(body, ["search", "Wrapped Ether & Co?", "-o", "ndjson"]);
    expect(exit).toBe(0);
    expect(server.requests[0]?.query.get("query")).toBe("Wrapped Ether & Co?");
  });
});

describe("several addresses", () => {
  test("print a row each, and exit 8 with the reason if some fail", async () => {
    const words = `pool ethereum ${pool} 0x${"0".repeat(40)} ${pool} -o ndjson --error-format text`;
    const { exit, stdout, stderr } = await dexdata(words, { env: sandbox.env() });
    expect(exit).toBe(8);
    expect(fieldOf(stdout, "id")).toEqual([pool, pool]);
    expect(stderr).toMatch(
      /^error: pool 0x0{40} not found on ethereum\n  hint: for a token, [^\n]+ --token 0x0{40}; [^\n]+\n$/u,
    );
  });

  test("have one hint for failures of the same kind", async () => {
    const others = ["1", "2", "3"].map((digit) => `0x${digit.repeat(40)}`);
    const words = `pool ethereum ${others.join(" ")} ${pool} -o ndjson --error-format text`;
    const { stderr } = await dexdata(words, { env: sandbox.env() });
    expect(stderr.match(/^error: pool 0x\d{40} not found on ethereum$/gmu)).toHaveLength(3);
    expect(stderr.match(/^ {2}hint: /gmu)).toHaveLength(1);
  });

  test("report failures in the same format as a failed run: JSON if the rows are JSON", async () => {
    const words = (last: string): string =>
      `pool ethereum 0x0000000000000000000000000000000000000001 0x0000000000000000000000000000000000000002 ${last} -o ndjson`;
    for (const [last, exit, names] of [
      [pool, 8, ["0x0000000000000000000000000000000000000001", "0x0000000000000000000000000000000000000002"]],
      [
        "0x0000000000000000000000000000000000000003",
        3,
        [
          "0x0000000000000000000000000000000000000002",
          "0x0000000000000000000000000000000000000003",
          "0x0000000000000000000000000000000000000001",
        ],
      ],
    ] as const) {
      const outcome = await dexdata(words(last), { env: sandbox.env() });
      expect(outcome.exit).toBe(exit);
      const errors = names.map((name) => ({
        code: "not_found",
        message: `pool ${name} not found on ethereum`,
        status: 404,
        exit: 3,
      }));
      expect(rowsOf(outcome.stderr)).toMatchObject(errors);
    }
  });

  test.each(["ndjson", "json", "csv", "table"])(
    "that are repeated are fetched once and printed twice, as %s",
    async (format) => {
      const once = await dexdata(
        `pool ethereum ${pool} 0x0000000000000000000000000000000000000001 -o ${format}`,
        { env: sandbox.env() },
      );
      sandbox.takeLog();
      const words = `pool ethereum ${pool} 0x0000000000000000000000000000000000000001 ${pool} 0x0000000000000000000000000000000000000001 -o ${format}`;
      const twice = await dexdata(`${words} --error-format text`, { env: sandbox.env() });
      expect(sandbox.takeLog().length).toBe(2);
      const timesShown = (text: string): number => text.split(pool).length - 1;
      expect(timesShown(once.stdout)).toBeGreaterThan(0);
      expect([twice.exit, timesShown(twice.stdout)]).toEqual([8, 2 * timesShown(once.stdout)]);
    },
  );

  test("that are repeated are one request in --estimate, and one row each", async () => {
    const words = `pool ethereum ${pool} 0x0000000000000000000000000000000000000001 ${pool} --estimate -o ndjson`;
    const { stdout } = await dexdata(words, { env: sandbox.env() });
    expect(rowsOf(stdout)).toMatchObject([{ requests: 2, credits: 2, rows_at_most: 3 }]);
  });

  test("fail with a single error if all fail", async () => {
    const { exit, stdout } = await dexdata(
      "pool ethereum 0x0000000000000000000000000000000000000001 0x0000000000000000000000000000000000000002 -o ndjson",
      { env: sandbox.env() },
    );
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: "" });
  });

  test("are an array in json, even a single one from stdin", async () => {
    const { exit, stdout } = await dexdata("pool ethereum - -o json", {
      env: sandbox.env(),
      stdin: `${pool}\n`,
    });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^\[\{.*\}\]\n$/u);
  });

  test("from a row of transactions are rejected, because its id is a hash", async () => {
    const { exit, stderr } = await dexdata("pool ethereum - -o ndjson", {
      env: sandbox.env(),
      stdin: '{"id":"0xabc","log_index":1}\n',
    });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/stdin line 1: a transaction has a hash, not an address/u);
    expect(stderr).toMatch(/--fields chain,pool_id/u);
    expect(stderr).toMatch(/for a token: jq -r/u);
    const stdin = `{"chain":"ethereum","pool_id":"${pool}"}\n`;
    expect((await dexdata("pool - --fields id", { env: sandbox.env(), stdin })).stdout).toBe(
      `{"id":"${pool}"}\n`,
    );
    const asTokens = await dexdata("prices - --error-format text", { env: sandbox.env(), stdin });
    expect(asTokens.stderr).toMatch(/stdin has 1 pool, but prices takes tokens/u);
  });

  test("of Sui and Aptos keep their colons", async () => {
    server = await serveInTest(() => json({ id: "0x2::sui::SUI", chain: "sui" }));
    const env = { DEXDATA_BASE_URL: server.url };
    for (const words of ["token sui 0x2::sui::SUI", "token sui:0x2::sui::SUI"]) {
      expect((await dexdata(words, { env })).exit).toBe(0);
    }
    expect(server.requests.map(({ path }) => path)).toEqual(
      Array(2).fill("/networks/sui/tokens/0x2%3A%3Asui%3A%3ASUI"),
    );
  });
});

describe("candles", () => {
  test("rule 117: the request always contains start and end, and a limit for every candle in the range", async () => {
    sandbox.takeLog();
    const { exit, stdout } = await dexdata(`ohlcv ethereum ${weth} -o ndjson --now 2026-11-21T08:30:00Z`, {
      env: sandbox.env(),
    });
    expect(exit).toBe(0);
    expect(stdout.trimEnd().split("\n").length).toBe(24);
    const [request] = sandbox.takeLog();
    const query = Object.fromEntries(new URL(request?.url ?? "", "http://sandbox").searchParams);
    expect(query).toEqual({ interval: "1h", start: "1795163400", end: "1795249800", limit: "25" });
  });

  test("rule 118: --count-back returns the last N before the end", async () => {
    const { stdout } = await dexdata(`ohlcv ethereum ${weth} --count-back 5 --interval 15m -o ndjson`, {
      env: sandbox.env(),
    });
    const opens = fieldOf(stdout, "time_open");
    expect(opens).toEqual(
      ["07:45", "08:00", "08:15", "08:30", "08:45"].map((time) => `2026-11-21T${time}:00Z`),
    );
  });

  test("--pool requests the candles of the pool, inverted with --inversed", async () => {
    sandbox.takeLog();
    const words = `ohlcv ethereum ${pool} --pool --inversed --count-back 2 -o ndjson`;
    expect((await dexdata(words, { env: sandbox.env() })).exit).toBe(0);
    expect(sandbox.takeLog()[0]?.url).toMatch(
      new RegExp(`^/networks/ethereum/pools/${pool}/ohlcv\\?.*inversed=true`, "u"),
    );
  });

  test("rule 120: no candles means exit 0 and no rows", async () => {
    const { exit, stdout } = await dexdata(
      `ohlcv ethereum ${weth} --from 1970-01-02 --to 1970-01-03 -o json`,
      { env: sandbox.env() },
    );
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: "[]\n" });
  });
});

describe("--validate", () => {
  test("prints the rows and exits 1 if they do not match the specification", async () => {
    const body = '[{"id":"ethereum","display_name":"Ethereum"},{"id":5}]';
    const { exit, stdout, stderr } = await answerWith(body, "networks -o ndjson --validate");
    expect({ exit, stdout }).toEqual({
      exit: 1,
      stdout: '{"id":"ethereum","display_name":"Ethereum"}\n{"id":5}\n',
    });
    expect(stderr).toMatch(/1 of 2 rows .* id of row 2 must be a string;/u);
  });

  test("accepts the rows of every command in the sandbox", async () => {
    const lines = [
      "networks",
      "dexes ethereum --all",
      `pool ethereum ${pool}`,
      `txns ethereum ${pool} --limit 200`,
      `prices ethereum ${weth}`,
      `token ethereum ${weth}`,
      "tokens search --chains celo,scroll --limit 200 --detailed",
      "tokens search plasma",
      "pools search --chains celo,scroll --limit 200 --detailed",
      "pools search ton",
      "search usdc",
      `ohlcv ethereum ${weth}`,
      `ohlcv ethereum ${pool} --pool`,
      "usage",
    ];
    for (const line of lines) {
      const { exit, stderr } = await dexdata(`${line} -q --validate -o ndjson`, { env: sandbox.env() });
      expect({ line, exit, stderr }).toEqual({ line, exit: 0, stderr: "" });
    }
  });
});
