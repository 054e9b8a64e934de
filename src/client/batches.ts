import type { Args } from "../contract/args.ts";
import { type Endpoint, onlyGroup } from "../contract/endpoint.ts";
import { Failure, isOfOneInput, untrustedAnswer, usageFailure } from "../contract/failure.ts";
import type { Reply } from "../contract/reply.ts";
import { addressKey } from "./address-key.ts";
import type { Client } from "./client.ts";
import { inOrder } from "./pages/in-order.ts";
import type { Walk } from "./pages/pages.ts";
import { member } from "../json/own-member.ts";
import { createPage, type Page } from "./pages/page.ts";
import { textRows } from "./rows/rows.ts";

type Batch = Extract<Reply, { kind: "batch" }>;

/** One thing asked for: an address on a network. */
export interface Subject {
  readonly network: string;
  readonly address: string;
}

interface Found {
  readonly id: string;
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
  const all = walk.subjects ?? [];
  const before = walk.start?.flag === "subject" ? Number(walk.start.value) : 0;
  const subjects = all.slice(before);
  const answered = new Map<string, Found | "missing" | "refused">();
  let next = 0;
  const chunks = planBatches(subjects, reply).map(({ network, addresses }) => ({
    network,
    addresses,
    asked: new Map([...args, ["network", network], [reply.param, addresses.join(",")]]),
  }));
  const asks = chunks.map((chunk) => async () => ({
    ...chunk,
    answer: await askChunk(client, endpoint, chunk),
  }));
  for await (const { network, addresses, asked, answer } of inOrder(asks, client.width)) {
    const isRefused = answer instanceof Failure;
    for (const address of addresses)
      answered.set(subjectKey({ network, address }), isRefused ? "refused" : "missing");
    if (!isRefused)
      for (const found of foundIn(answer)) answered.set(subjectKey({ network, address: found.id }), found);
    // Rows leave as far as every subject before them is answered, so that long lists need no memory to speak of.
    const ready: Found[] = [];
    const missing: Subject[] = [];
    for (let subject = subjects[next]; subject !== undefined; subject = subjects[next]) {
      const found = answered.get(subjectKey(subject));
      if (found === undefined) break;
      if (found === "missing") missing.push(subject);
      if (found === "missing" && walk.fillMissing === true) ready.push(withoutValue(subject, reply.value));
      if (typeof found === "object") ready.push(found);
      next += 1;
    }
    const refused = isRefused ? { refused: { args: asked, failure: answer } } : {};
    const place = { flag: "subject", value: String(before + next) } as const;
    yield {
      group: onlyGroup,
      rows: textRows(ready),
      next: next < subjects.length ? place : undefined,
      ...(next === subjects.length && { proof: "inputs" }),
      missing,
      ...refused,
    };
  }
}

/** A refusal that these inputs earned is theirs alone; key, credits, pace and network are everybody's. */
async function askChunk(
  client: Client,
  endpoint: Endpoint,
  { network, addresses, asked }: Chunk & { readonly asked: Args },
): Promise<Page | Failure> {
  const own = new Set(addresses.map(addressKey));
  // EVM addresses are the same on many networks.
  const isOfOthers = ({ id, value }: Found): boolean =>
    !own.has(addressKey(id)) || (member(value, "chain") ?? network) !== network;
  const request = async (): Promise<Page> => {
    const { text, value } = (await client.ask(endpoint, asked)).read();
    return createPage(text, value, "prices");
  };
  try {
    const page = await request();
    // The answer to another batch. Where it stays, the service writes addresses in another way.
    const isDoubtful =
      foundIn(page).some(isOfOthers) && (await client.again(1, "the prices are those of other tokens"));
    return isDoubtful ? await request() : page;
  } catch (cause) {
    if (cause instanceof Failure && isOfOneInput(cause)) return cause;
    throw cause;
  }
}

function foundIn(page: Page): readonly Found[] {
  return page.rows.values().map((value, index) => {
    const id = member(value, "id");
    if (typeof id !== "string") throw untrustedAnswer(`row ${index + 1} of the prices has no id`);
    return { id, row: page.rows.text(index), value };
  });
}

function withoutValue({ network, address }: Subject, field: string): Found {
  const value = { id: address, chain: network, [field]: null };
  return { id: address, row: JSON.stringify(value), value };
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
