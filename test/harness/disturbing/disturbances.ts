import { createRandom } from "../random.ts";
import {
  pageInfoOf,
  readBody,
  type ResponseBody,
  withMembers,
  withPageInfo,
  writeBody,
} from "./response-body.ts";

/** What real services, their replicas and the caches before them do to a correct response. */
export const disturbances = {
  stale: "an earlier response of the same list",
  empty: "no rows; totals and cursor unchanged",
  truncated: "only the first rows; totals and cursor unchanged",
  reordered: "the same rows in another order",
  overlap: "begins with the last rows of the page before, in place of its own first rows",
  "overlap-front": "begins with the last rows of the page before, followed by all of its own rows",
  twice: "one row twice, in addition to the others",
  "twice-in-place": "one row twice, in place of the row after it",
  "no-cursor": "no cursor, although more rows follow",
  "early-end": "claims that the list ends here, although more rows follow",
  "other-totals": "another number of rows and pages",
  foreign: "the rows of another network or pool, with this page's number and totals",
  "changed-id": "one row with another ID",
  page: "a page of a gateway in place of the response, with the status 200",
  cut: "ends in the middle of the JSON",
} as const;

export type DisturbanceKind = keyof typeof disturbances;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys loses the names
export const disturbanceKinds = Object.keys(disturbances) as readonly DisturbanceKind[];

/** Other responses of the service that a disturbance is made of, and its random part. */
export interface Material {
  readonly before?: string | undefined;
  readonly stale?: string | undefined;
  readonly foreign?: string | undefined;
  /** The number of overlapping rows. */
  readonly overlap: number;
  readonly seed: number;
}

/** Returns undefined if the response cannot be disturbed in this way, or would not differ. */
export function disturb(kind: DisturbanceKind, text: string, material: Material): string | undefined {
  if (kind === "stale") return different(material.stale, text);
  if (kind === "page") return "<!doctype html><title>Maintenance</title>\n";
  if (kind === "cut") return text.slice(0, 1 + below(text.length - 1, material.seed));
  const body = readBody(text);
  if (body === undefined) return undefined;
  const changed = change[kind](body, material);
  return changed === undefined ? undefined : different(writeBody(changed), text);
}

type Change = (body: ResponseBody, material: Material) => ResponseBody | undefined;

const change: Readonly<Record<Exclude<DisturbanceKind, "stale" | "page" | "cut">, Change>> = {
  empty: (body) => ({ ...body, rows: [] }),
  truncated: (body, { seed }) => {
    const { rows } = body;
    if (rows.length < 2) return undefined;
    return { ...body, rows: rows.slice(0, 1 + below(rows.length - 1, seed)) };
  },
  reordered: (body, { seed }) => ({ ...body, rows: shuffled(body.rows, seed) }),
  overlap: (body, material) => {
    const earlier = lastRowsBefore(material);
    return earlier.length === 0 || body.rows.length <= earlier.length
      ? undefined
      : { ...body, rows: [...earlier, ...body.rows.slice(earlier.length)] };
  },
  "overlap-front": (body, material) => ({ ...body, rows: [...lastRowsBefore(material), ...body.rows] }),
  twice: ({ rows, ...rest }, { seed }) => {
    const at = below(rows.length, seed);
    return { ...rest, rows: rows.flatMap((row, index) => (index === at ? [row, row] : [row])) };
  },
  "twice-in-place": ({ rows, ...rest }, { seed }) => {
    const at = below(rows.length - 1, seed);
    return { ...rest, rows: rows.map((row, index) => (index === at + 1 ? (rows[at] ?? row) : row)) };
  },
  "no-cursor": (body) => {
    if (!hasNext(body)) return undefined;
    if (pageInfoOf(body) !== undefined) return withPageInfo(body, { next_cursor: undefined });
    return withMembers(body, { next_cursor: undefined });
  },
  "early-end": endEarly,
  "other-totals": (body, { seed }) => {
    const { page, limit, total_items: items } = numbersOf(body);
    if (page === undefined || limit === undefined || items === undefined || items === 0) return undefined;
    // If the total made this the last page, a list that really ends here would look the same.
    const least = page * limit + 1;
    const other = Math.max(least, items - 40) + below(80, seed);
    return withPageInfo(body, { total_items: other, total_pages: Math.ceil(other / limit) });
  },
  foreign: (body, { foreign }) => {
    const other = foreign === undefined ? undefined : readBody(foreign);
    if (other === undefined) return undefined;
    const info = pageInfoOf(body);
    if (info === undefined) return other;
    const { next_cursor: cursor } = pageInfoOf(other) ?? {};
    return withPageInfo(other, { ...info, ...("next_cursor" in info && { next_cursor: cursor }) });
  },
  "changed-id": ({ rows, ...rest }, { seed }) => {
    const at = below(rows.length, seed);
    return { ...rest, rows: rows.map((row, index) => (index === at ? withOtherId(row) : row)) };
  },
};

function different(changed: string | undefined, text: string): string | undefined {
  return changed === text ? undefined : changed;
}

/** The first numbers of two small seeds would be almost equal. */
export function randomOf(seed: number): () => number {
  return createRandom(Math.imul(seed + 1, 0x9e37_79b1));
}

/** A number from 0 to `count - 1`, or 0. */
function below(count: number, seed: number): number {
  return Math.max(0, Math.floor(randomOf(seed)() * count));
}

function shuffled(rows: readonly string[], seed: number): readonly string[] {
  const random = randomOf(seed);
  const keyed = rows.map((row) => ({ row, key: random() }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ row }) => row);
}

function lastRowsBefore({ before, overlap }: Material): readonly string[] {
  return (before === undefined ? undefined : readBody(before)?.rows.slice(-overlap)) ?? [];
}

/** Numbered pages contradict their own `total_items`, unless rows may have been removed since an earlier page. */
function endEarly(body: ResponseBody, { seed }: Material): ResponseBody | undefined {
  if (!hasNext(body)) return undefined;
  const info = pageInfoOf(body);
  if (info === undefined) return withMembers(body, { has_next_page: "false", next_cursor: '""' });
  const { page, limit } = numbersOf(body);
  if (page === undefined || limit === undefined) return withPageInfo(body, { next_cursor: "" });
  const isConsistent = page > 1 && seed % 2 === 0;
  return withPageInfo(body, { total_pages: page, ...(isConsistent && { total_items: page * limit }) });
}

function hasNext(body: ResponseBody): boolean {
  const info = pageInfoOf(body);
  if (info === undefined) return body.members?.get("has_next_page") === "true";
  const { page, total_pages: pages } = numbersOf(body);
  if (page === undefined || pages === undefined) return (info["next_cursor"] ?? "") !== "";
  return page < pages;
}

function numbersOf(body: ResponseBody): Readonly<Record<string, number | undefined>> {
  const info = pageInfoOf(body) ?? {};
  return Object.fromEntries(
    Object.entries(info).map(([name, value]) => [name, typeof value === "number" ? value : undefined]),
  );
}

const identities = /^\{(?:.*?,)?"(?:id|address|dex_id|time_open)":"/u;

/** Another ID of the same form: the last letter or digit of a hash or a name, or the next second of a candle. */
function withOtherId(row: string): string {
  const start = identities.exec(row)?.[0].length;
  if (start === undefined) return row;
  const end = row.indexOf('"', start);
  const id = row.slice(start, end);
  const other = id.replace(/[0-9a-z](?=Z?$)/iu, (last) => (last === "0" ? "1" : last === "a" ? "b" : "0"));
  return row.slice(0, start) + other + row.slice(end);
}
