import { existsSync, readFileSync } from "node:fs";
import { empty, json, type Reply, type ScriptedServer } from "./scripted-server.ts";
import { serveInTest } from "./serve-in-test.ts";

/** A list with two rows per page, and a server for it. */
export interface PagedList {
  readonly server: ScriptedServer;
  readonly env: Readonly<Record<string, string>>;
  /** Called with the number of the requested page, from 0, and awaited; a returned reply replaces the page. */
  interfere: (page: number) => Reply | undefined | Promise<Reply | undefined>;
}

/** The arguments with which `dexdata` pulls it. */
export const pullOfPages = ["pools", "search", "ethereum", "--all", "--page-size", "2"] as const;

export async function servePages(count: number): Promise<PagedList> {
  const server = await serveInTest(async ({ query }) => {
    const page = Number(query.get("cursor") ?? "0");
    const reply = await list.interfere(page);
    if (reply !== undefined) return reply;
    const results = [0, 1].map((row) => ({
      chain: "ethereum",
      id: `0x${page}${row}`,
      name: "größer",
      price_usd: 0.1,
    }));
    return json({
      results,
      has_next_page: page < count - 1,
      next_cursor: page < count - 1 ? String(page + 1) : "",
    });
  });
  const list: PagedList = { server, env: { DEXDATA_BASE_URL: server.url }, interfere: () => undefined };
  return list;
}

/** Waits until the file has this many lines: the pages before a delayed one are written meanwhile. */
export async function linesIn(file: string, lines: number): Promise<void> {
  const count = (): number => (existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0);
  for (const begun = performance.now(); count() < lines;) {
    if (performance.now() - begun > 30_000)
      throw new Error(`${file} has ${count()} lines instead of ${lines}`);
    await new Promise(setImmediate);
  }
}

/** Makes this page and all later ones fail until the returned function is called. */
export function breakAt(list: PagedList, broken: number, reply = empty(501)): () => void {
  list.interfere = (page) => (page >= broken ? reply : undefined);
  return () => {
    list.interfere = () => undefined;
  };
}
