import type { Client } from "../../client/client.ts";
import type { Page } from "../../client/pages/page.ts";
import type { Question } from "../../contract/args.ts";
import type { Context } from "../../context/context.ts";
import { member } from "../../json/own-member.ts";
import { writeCachedList } from "../../settings/list-cache.ts";
import { listEnding } from "./list-ending.ts";
import type { Questions } from "./questions.ts";

/** What is kept of each row of the service's own short lists: how it is typed, and how it is called. */
const keptFields: Readonly<Record<string, readonly string[]>> = {
  networks: ["id", "display_name"],
  dexes: ["dex_id", "dex_name"],
};

/** Nobody types a longer name, and what is near to it would take memory and time to find out. */
const longestKept = 200;

/** The name a list is kept under; it ends with `listEnding`. */
export function listName(client: Client, { endpoint, args }: Question): string {
  return `${client.target.rest}${listEnding(endpoint.id, args.get("network"))}`;
}

export function keptRow(row: object, id: string): readonly string[] {
  return (keptFields[id] ?? []).map((field) => {
    const value = member(row, field);
    return typeof value === "string" && value.length <= longestKept ? value : "";
  });
}

export interface ListKeeper {
  readonly take: (page: Page) => void;
  /** The walk over the list has come to its end. */
  readonly end: (question: Question) => void;
}

/**
 * Keeps a list that was asked for anyway and came whole, for completion and suggestions. Undefined for anything else,
 * and for the sandbox, which costs nothing and has another port each time.
 */
export function createListKeeper(
  context: Context,
  client: Client,
  { endpoint, limit, walk }: Questions,
): ListKeeper | undefined {
  const isWhole = limit === undefined && walk.start === undefined && walk.once === undefined;
  if (keptFields[endpoint.id] === undefined || !isWhole || client.target.isSimulated) return undefined;
  let rows: string[] = [];
  return {
    take: (page) => {
      rows.push(...page.rows.values().map((row) => keptRow(row, endpoint.id).join("\t")));
    },
    end: (question) => {
      if (rows.length > 0) writeCachedList(context, listName(client, question), rows);
      rows = [];
    },
  };
}
