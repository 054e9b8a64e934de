import type { Args } from "../model/args.ts";
import { type Endpoint, onlyGroup } from "../model/endpoint.ts";
import { untrustedAnswer, usageFailure } from "../model/failure.ts";
import type { Reply } from "../model/reply.ts";
import { addressKey } from "./address-key.ts";
import type { Client } from "./client.ts";
import type { Walk } from "./pages.ts";
import { createPage, member, type Page } from "./page.ts";

type Batch = Extract<Reply, { kind: "batch" }>;

/** One thing asked for: an address on a network. */
export interface Subject {
  readonly network: string;
  readonly address: string;
}

interface Found {
  readonly row: string;
  readonly value: object;
}

/**
 * Any number of subjects, each distinct one sent once, in as few requests as the bounds allow. Rows come in the
 * order asked, also over several networks; a repeated subject repeats its row. What the service left out has no
 * row and is named in `missing`.
 */
export async function* askInBatches(
  client: Client,
  endpoint: Endpoint,
  reply: Batch,
  args: Args,
  walk: Walk,
): AsyncGenerator<Page> {
  const subjects = walk.subjects ?? [];
  const answered = new Map<string, Found | undefined>();
  let next = 0;
  for (const chunk of planBatches(subjects, reply)) {
    const asked = new Map([...args, ["network", chunk.network], [reply.param, chunk.addresses.join(",")]]);
    const { text, value } = await client.ask(endpoint, asked);
    for (const address of chunk.addresses) answered.set(subjectKey({ ...chunk, address }), undefined);
    const page = createPage(text, value, "prices");
    for (const [index, item] of page.values.entries()) {
      const id = member(item, "id");
      if (typeof id !== "string") throw untrustedAnswer(`row ${index + 1} of the prices has no id`);
      answered.set(subjectKey({ ...chunk, address: id }), { row: page.rows[index] ?? "", value: item });
    }
    // Rows leave as far as every subject before them is answered, so that long lists need no memory to speak of.
    const ready: Found[] = [];
    const missing: Subject[] = [];
    for (let subject = subjects[next]; subject !== undefined; subject = subjects[next]) {
      const key = subjectKey(subject);
      if (!answered.has(key)) break;
      const found = answered.get(key);
      if (found === undefined) missing.push(subject);
      if (found !== undefined) ready.push(found);
      else if (walk.fillMissing === true) ready.push(withoutValue(subject, reply.value));
      next += 1;
    }
    yield {
      group: onlyGroup,
      rows: ready.map(({ row }) => row),
      values: ready.map((each) => each.value),
      next: undefined,
      missing,
    };
  }
}

function withoutValue({ network, address }: Subject, field: string): Found {
  const value = { id: address, chain: network, [field]: null };
  return { row: JSON.stringify(value), value };
}

function subjectKey({ network, address }: Subject): string {
  return `${network} ${addressKey(address)}`;
}

interface Chunk {
  readonly network: string;
  readonly addresses: string[];
}

/**
 * At most `max` addresses and `maxLength` characters together in each (specification, endpoint 2), in the order in
 * which their first address is wanted.
 */
export function planBatches(
  subjects: readonly Subject[],
  bounds: { readonly max: number; readonly maxLength: number },
): readonly Chunk[] {
  const chunks: Chunk[] = [];
  const open = new Map<string, Chunk>();
  const planned = new Set<string>();
  for (const subject of subjects) {
    const { network, address } = subject;
    if (address.length > bounds.maxLength) {
      throw usageFailure(
        `"${address.slice(0, 40)}…": has ${address.length} characters; at most ${bounds.maxLength} fit into a request`,
      );
    }
    if (planned.has(subjectKey(subject))) continue;
    planned.add(subjectKey(subject));
    const chunk = open.get(network);
    const length = chunk === undefined ? 0 : chunk.addresses.join(",").length + 1 + address.length;
    if (chunk !== undefined && chunk.addresses.length < bounds.max && length <= bounds.maxLength) {
      chunk.addresses.push(address);
      continue;
    }
    const opened: Chunk = { network, addresses: [address] };
    chunks.push(opened);
    open.set(network, opened);
  }
  return chunks;
}
