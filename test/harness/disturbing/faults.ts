import { gzipSync } from "node:zlib";
import { bytes, html, json, raw, redirect, type Reply, reset } from "../scripted-server.ts";
import { type DisturbanceKind, disturb, disturbanceKinds, randomOf } from "./disturbances.ts";
import { pageInfoOf, readBody, withMembers, withPageInfo, writeBody } from "./response-body.ts";

export interface Fault {
  readonly kind: FaultKind;
  readonly seed: number;
}

/** A correct response, and how to get others of the service. */
interface Material {
  readonly url: string;
  readonly body: string;
  /** The URLs of an undisturbed pull, in the order of the list. */
  readonly trace: readonly string[];
  /** The same request for another network, pool or token. */
  readonly foreign: string;
  readonly ask: (url: string | undefined) => Promise<string | undefined>;
}

type Random = () => number;

/** Faults of the way to the service, or of the service itself. */
const replies = {
  "short body": ({ body }, random) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return raw([head + body.slice(0, below(body.length, random))]);
  },
  "cut gzip": ({ body }, random) => {
    const packed = gzipSync(body);
    return bytes(packed.subarray(0, 1 + below(packed.length - 1, random)), { "content-encoding": "gzip" });
  },
  "wrong gzip": ({ body }, random) => {
    const packed = gzipSync(body);
    const at = 10 + below(packed.length - 10, random);
    packed[at] = (packed[at] ?? 0) ^ 1;
    return bytes(packed, { "content-encoding": "gzip" });
  },
  reset: () => reset("before"),
  redirect: ({ url }) => redirect(url),
  "rate limit": () => json({ error: "rate_limited", message: "slow down" }, { status: 429 }),
  "server error": () => json({ error: "internal_error", message: "no" }, { status: 500 }),
  "bad gateway": () => html(502),
  "expired cursor": ({ url }) =>
    url.includes("cursor=")
      ? json({ error: "invalid_param", message: "expired", param: "cursor" }, { status: 400 })
      : undefined,
} as const satisfies Readonly<Record<string, (material: Material, random: Random) => Reply | undefined>>;

/** Wrong bodies, in addition to the disturbances. */
const bodies = {
  "cut at a bracket": ({ body }, random) => {
    const ends = [...body.matchAll(/[}\]]/gu)].map(({ index }) => index + 1).slice(0, -1);
    return ends.length === 0 ? undefined : body.slice(0, ends[below(ends.length, random)]);
  },
  "another page": async ({ trace, ask }, random) => await ask(trace[below(trace.length, random)]),
  "the next page": async ({ trace, url, ask }) => await ask(trace[trace.indexOf(url) + 1]),
  "another size": async ({ url, ask }) =>
    url.includes("limit=") ? await ask(url.replace(/limit=\d+/u, "limit=7")) : undefined,
  "earlier next cursor": async ({ trace, url, body, ask }, random) => {
    const other = await ask(trace[below(trace.indexOf(url), random)]);
    const cursor = /"next_cursor":("[^"]+")/u.exec(other ?? "")?.[1];
    const own = readBody(body);
    if (cursor === undefined || own?.members?.has("next_cursor") !== true) return undefined;
    return writeBody(withMembers(own, { next_cursor: cursor, has_next_page: "true" }));
  },
  "no echo": ({ body }, random) => {
    const own = readBody(body);
    if (own?.members?.has("query") !== true) return undefined;
    return writeBody(withMembers(own, { query: random() < 0.5 ? "{}" : undefined }));
  },
  "no totals": ({ body }, random) => {
    const own = readBody(body);
    if (own === undefined || pageInfoOf(own)?.["total_items"] === undefined) return undefined;
    if (random() < 0.3) return writeBody(withMembers(own, { page_info: undefined }));
    const total = random() < 0.5 ? 0 : undefined;
    return writeBody(withPageInfo(own, { total_items: total, total_pages: total }));
  },
} as const satisfies Readonly<
  Record<string, (material: Material, random: Random) => string | undefined | Promise<string | undefined>>
>;

export type FaultKind = DisturbanceKind | keyof typeof replies | keyof typeof bodies;

export const faultKinds: readonly FaultKind[] = [...disturbanceKinds, ...keysOf(replies), ...keysOf(bodies)];

/** Returns undefined if the response cannot have this fault, or would not differ. */
export async function faultyReply({ kind, seed }: Fault, material: Material): Promise<Reply | undefined> {
  const random = randomOf(seed);
  if (isIn(replies, kind)) return replies[kind](material, random);
  const body = isIn(bodies, kind)
    ? await bodies[kind](material, random)
    : await disturbedBody(kind, seed, material);
  return body === undefined || body === material.body ? undefined : json(body);
}

async function disturbedBody(kind: DisturbanceKind, seed: number, material: Material) {
  const { url, body, trace, foreign, ask } = material;
  const at = trace.indexOf(url);
  const random = randomOf(seed);
  return disturb(kind, body, {
    before: await ask(trace[at - 1]),
    stale: at > 0 ? await ask(trace[below(at, random)]) : undefined,
    foreign: await ask(foreign),
    overlap: 1 + below(3, random),
    seed,
  });
}

function below(count: number, random: Random): number {
  return Math.max(0, Math.floor(random() * count));
}

function isIn<T extends object>(kinds: T, kind: string): kind is Extract<keyof T, string> {
  return Object.hasOwn(kinds, kind);
}

function keysOf<T extends object>(kinds: T): readonly (keyof T)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys loses the names
  return Object.keys(kinds) as (keyof T)[];
}
