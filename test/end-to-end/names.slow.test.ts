import { spawnSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { binaryEnv, program } from "../harness/binary.ts";
import { isLong } from "../harness/long.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { hasTmux, openTerminal, type Terminal } from "../harness/terminal.ts";

const isLeftOut = !hasTmux;
const named = (name: string): string =>
  isLeftOut ? `LEFT OUT: ${name}: tmux is not installed (apt-get install tmux)` : name;

let terminal: Terminal | undefined;
afterEach(() => terminal?.close());

const count = isLong ? 50 : 8;
const impostors = new Set([2, 5, 7]);
const address = (index: number, digit: string): string =>
  `0x${digit.repeat(36)}${String(index).padStart(4, "0")}`;

/** Some tokens have an impostor on the same network, with more volume. */
function tokensFor(query: string) {
  const index = Number(/^T(\d+)$/u.exec(query)?.[1]);
  const token = { symbol: `T${index}`, name: "Token", chain: "ethereum", price_usd: 1 };
  return [
    ...(impostors.has(index)
      ? [{ ...token, id: address(index, "f"), liquidity_usd: 10, volume_usd: 9e9 }]
      : []),
    { ...token, id: address(index, "b"), chain: "base", liquidity_usd: 90, volume_usd: 5 },
    { ...token, id: address(index, "a"), liquidity_usd: 80, volume_usd: 6 },
    { ...token, id: address(index, "c"), symbol: `T${index}X`, liquidity_usd: 9e9, volume_usd: 6 },
  ];
}

test.skipIf(isLeftOut)(
  named(`${count} tokens are chosen by number at a terminal, and the next process knows their names`),
  async () => {
    const server = await serveInTest(({ path, query }) =>
      json(
        path === "/search"
          ? { tokens: tokensFor(query.get("query") ?? ""), pools: [], dexes: [] }
          : (query.get("tokens") ?? "").split(",").map((id) => ({ id, chain: "ethereum", price_usd: 2 })),
      ),
    );
    const env = { DEXDATA_CONFIG_DIR: temporaryFolder(), DEXDATA_BASE_URL: server.url };
    const given = Object.entries(env).map((each) => each.join("="));
    terminal = openTerminal(120, 40);
    terminal.enter(`export ${given.join(" ")}; clear`);
    for (let index = 1; index <= count; index += 1) {
      const before = server.requests.length;
      terminal.enter(`clear; dexdata prices T${index} --rpm unlimited`);
      const screen = await terminal.until(/choose a token by number[^\n]* \(Enter for none\):$/u);
      expect(screen.some((line) => line.startsWith("warning: 2 tokens on ethereum"))).toBe(
        impostors.has(index),
      );
      const own = screen.find((line) => line.endsWith(address(index, "a")));
      terminal.enter(/^\d/u.exec(own ?? "")?.[0] ?? "");
      const after = await terminal.until(/2 requests, 2 credits, .*\n\$$/u);
      expect(after.filter((line) => line.endsWith(address(index, "a")))).toHaveLength(2);
      expect(server.requests.slice(before).map(({ path }) => path)).toEqual([
        "/search",
        "/networks/ethereum/multi/prices",
      ]);
    }
    for (const [key, below] of [
      ["C-d", /\(Enter for none\):\nerror: unknown name "t99"/u],
      ["C-c", /\(Enter for none\): \^C\n\$$/u],
    ] as const) {
      terminal.enter("clear; dexdata prices t99 --rpm unlimited");
      await terminal.until(/\(Enter for none\):$/u);
      terminal.press(key);
      await terminal.until(below);
    }
    const names = Array.from({ length: count }, (_, index) => `t${index + 1}`);
    const run = (words: readonly string[], more: object = {}) =>
      spawnSync(process.execPath, [program, ...words], {
        encoding: "utf8",
        env: { ...binaryEnv(), ...env, ...more },
      });
    const before = server.requests.length;
    // spawnSync would block the server of this process.
    const unknown = run(["prices", ...names, "nothing", "--rpm", "unlimited"]);
    expect([unknown.status, server.requests.length]).toEqual([2, before]);
    expect(unknown.stderr).toContain('unknown name \\"nothing\\"');
    const listed = run(["name", "list", "-o", "tsv", "--no-header"]);
    expect(listed.stdout.split("\n").slice(0, -1).toSorted()).toEqual(
      names.map((name, index) => `${name}\tethereum\t${address(index + 1, "a")}\ttoken`).toSorted(),
    );
    // Another service does not know them.
    expect(run(["prices", "t1"], { DEXDATA_BASE_URL: "http://127.0.0.1:9" })).toMatchObject({ status: 2 });
  },
  isLong ? 300_000 : 90_000,
);
