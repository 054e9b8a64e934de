import { readArgs } from "../../../api/args.ts";
import { readDuration } from "../../../api/duration.ts";
import { networkPoolsSearch } from "../../../api/endpoints/searches.ts";
import { readInteger } from "../../../api/read-param.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { parseRfc3339 } from "../../../base/time/time.ts";
import type { PoolList } from "../../../lake/dataset.ts";

/** A list that has not been read has no start. */
export type NewList = Omit<PoolList, "from"> & { readonly from: number | undefined };

/** In seconds. Periods begin at multiples of it, and so do days. */
export function readEvery(label: string, typed: string): number {
  const seconds = readDuration(label, typed) / 1000;
  if (seconds < 60) throw invalidInput(label, "must be 1m or more, because responses can be 60s old");
  if (seconds % 60 === 0 && (24 * 3600) % seconds === 0) return seconds;
  throw invalidInput(label, "must divide a day into equal parts, e.g. 5m, 1h or 24h");
}

export function readListName(label: string, typed: string): string {
  if (/^[A-Za-z\d][\w.-]{0,63}$/u.test(typed)) return typed;
  throw invalidInput(label, "must have up to 64 letters, digits, and . _ -, because it names a directory");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** `list`, `every` and `from` are as they were typed, or undefined. */
export function newList(
  { network, source }: Pick<PoolList, "network" | "source">,
  { list = "text" in source ? "search" : "pools", every = "1h", from }: Readonly<Record<string, unknown>>,
  where = "",
): NewList {
  const [name, period] = [textOf(list), textOf(every)];
  const labelOf = (field: string, typed: string): string =>
    where === "" ? `--${field} "${typed}"` : `${field} "${typed}"${where}`;
  return {
    ...({ kind: "pools", network, interval: undefined, by: "month", label: "" } as const),
    address: readListName(labelOf("list", name), name),
    every: readEvery(labelOf("every", period), period),
    from: parseRfc3339(textOf(from ?? ""))?.seconds,
    source,
  };
}

/** The words after `dexdata pools search`: a network, and filters. `now` is in milliseconds. */
export function readSearch(text: string, label: string, now: number): Pick<PoolList, "network" | "source"> {
  const [network = "", ...words] = text.trim().replaceAll("=", " ").split(/\s+/u);
  if (!/^\w[\w-]*$/u.test(network))
    throw invalidInput(label, "must begin with a network", "e.g. 'ethereum --volume-usd-24h-min 100k'");
  const params = new Map(
    networkPoolsSearch.params.flatMap((param) =>
      param.flag === undefined || param.kind.kind === "toggle" ? [] : [[`--${param.flag}`, param.name]],
    ),
  );
  const typed = new Map([["network", network]]);
  for (let index = 0; index < words.length; index += 2) {
    const [word = "", value] = [words[index], words[index + 1]];
    const name = word === "--limit" ? "limit" : params.get(word);
    if (name === undefined) {
      const near = nearest(word, ["--limit", ...params.keys()]);
      const next = near === undefined ? "see: dexdata pools search --help" : `did you mean ${near}?`;
      throw usageFailure(`unknown flag "${word}" in ${label}`, next);
    }
    if (value === undefined) throw usageFailure(`missing value for ${word} in ${label}`);
    typed.set(name, value);
  }
  const limit = readInteger(`--limit in ${label}`, typed.get("limit") ?? "10", { min: 1 });
  typed.delete("limit");
  const argsAt = (at: number) => readArgs(networkPoolsSearch, typed, at);
  argsAt(now);
  return { network, source: { text, limit: Number(limit), argsAt } };
}

/** A list with the pools of both. */
export function joinLists<List extends NewList | PoolList>(one: List, other: NewList): List {
  const [own, added] = [one.source, other.source];
  const isSame = "text" in own ? "text" in added && own.text === added.text : "pools" in added;
  if (!isSame || one.every !== other.every)
    throw usageFailure(
      `list "${one.address}" of ${one.network} exists, with another search or period`,
      "give the new list another name: --list <name>",
    );
  if ("text" in own || "text" in added) return one;
  const pools = new Map([...added.pools, ...own.pools].map((pool) => [pool.address, pool]));
  return { ...one, source: { pools: [...pools.values()] } };
}
