import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Failure } from "../../../src/base/failure.ts";
import { type Library, openLibrary } from "../../library/open-library.ts";
import { type DisturbedList, pools } from "../disturbed-lists.ts";
import type { DisturbingProxy } from "../disturbing-proxy.ts";
import { dexdata } from "../dexdata.ts";
import type { SandboxInTest } from "../sandbox.ts";
import { rowsBelow } from "../lake.ts";
import { fieldOf, type Row, toRow } from "../rows.ts";
import type { Listing } from "../../../src/library/public-types.ts";

export interface DisturbedPull {
  readonly exit: number;
  /** One JSON text for each row. */
  readonly rows: readonly string[];
  /** From the receipt; undefined without one. */
  readonly complete: unknown;
  readonly proof: unknown;
  readonly stderr: string;
  readonly requests: number;
}

export interface Desk {
  readonly proxy: DisturbingProxy;
  /** A key on the pro plan. */
  readonly key: string;
  readonly folder: string;
  /** Tokens of Ethereum for stdin. */
  readonly tokens: readonly string[];
  /** The ID of a transaction, for lists that begin there. */
  readonly cursor: string;
}

/** Prepares pulls through the proxy of a sandbox whose clock is stopped. */
export async function openDesk(
  proxy: DisturbingProxy,
  sandbox: SandboxInTest,
  folder: string,
): Promise<Desk> {
  const env = sandbox.env();
  const found = await dexdata("tokens search ethereum --limit 65 -q -o ndjson", { env });
  const swaps = await dexdata(`txns ethereum ${pools.own} --limit 60 -q -o ndjson`, { env });
  const tokens = fieldOf(found.stdout, "address").map(String);
  const cursor = String(fieldOf(swaps.stdout, "id").at(-1));
  return { proxy, folder, key: sandbox.running().keys.pro, tokens, cursor };
}

/** Pulls the list through the proxy as a user would. */
export async function pullDisturbed(desk: Desk, list: DisturbedList): Promise<DisturbedPull> {
  const before = desk.proxy.requested.length;
  const pulled = await pullers[list.by ?? "command"](desk, list);
  return { ...pulled, requests: desk.proxy.requested.length - before };
}

type Puller = (desk: Desk, list: DisturbedList) => Promise<Omit<DisturbedPull, "requests">>;

let pulls = 0;

const pullers: Readonly<Record<"command" | "library" | "sync", Puller>> = {
  command: async (desk, { words, tokens = 0 }) => {
    pulls += 1;
    const receipt = path.join(desk.folder, `receipt-${pulls}.json`);
    const known = words.replace("{cursor}", desk.cursor);
    const argv = [...known.split(" "), "--rpm", "unlimited", "-o", "ndjson", "--receipt", receipt];
    const stdin = desk.tokens.slice(0, tokens).join("\n");
    const { exit, stdout, stderr } = await dexdata(argv, { env: envOf(desk), stdin });
    const { complete, proof } = existsSync(receipt) ? toRow(readFileSync(receipt, "utf8")) : {};
    return { exit, stderr, rows: stdout.split("\n").slice(0, -1), complete, proof };
  },

  library: async ({ proxy, key }, { words }) => {
    const client = openLibrary({ baseUrl: proxy.url, apiKey: key, tier: "pro", rpm: "unlimited" });
    const list = libraryLists[words]?.(client);
    if (list === undefined) throw new Error(`the tests do not know the library's list ${words}`);
    const rows: string[] = [];
    try {
      for await (const page of list.pages()) rows.push(...page.texts);
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      return { exit: cause.exit, rows, stderr: cause.message, complete: false, proof: undefined };
    }
    return { exit: 0, rows, stderr: "", complete: true, proof: undefined };
  },

  sync: async (desk, { words }) => {
    pulls += 1;
    const root = path.join(desk.folder, `lake-${pulls}`);
    const argv = ["sync", root, ...words.split(" "), "--rpm", "unlimited", "-o", "ndjson"];
    const { exit, stderr } = await dexdata(argv, { env: envOf(desk) });
    const rows = (await rowsBelow(root)).map((row) => JSON.stringify(row));
    return { exit, rows, stderr, complete: exit === 0, proof: undefined };
  },
};

function envOf({ proxy, key }: Desk): Readonly<Record<string, string>> {
  return { DEXDATA_PRO_BASE_URL: proxy.url, DEXDATA_API_KEY: key, DEXDATA_TIER: "pro" };
}

const libraryLists: Readonly<Record<string, (client: Library) => Listing<Row>>> = {
  poolTransactions: (client) =>
    client.poolTransactions({ network: "ethereum", pool_address: pools.own, from: "-5h" }),
  networkPoolsSearch: (client) => client.networkPoolsSearch({ network: "base", volume_usd_24h_min: "20000" }),
  dexes: (client) => client.dexes({ network: "ethereum" }),
};
