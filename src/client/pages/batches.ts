import type { Args } from "../../api/endpoint.ts";
import { wellKnownNetworks } from "../../api/known-networks.ts";
import { affectsOneInput, fail, Failure, invalidResponse } from "../../base/failure.ts";
import type { Reply } from "../../api/reply.ts";
import {
  ended,
  more,
  type Page,
  type PageEnd,
  type PageNote,
  pageOf,
  type Position,
  readRows,
} from "../page.ts";
import { type BatchInputs, type Chunk, type ListRequest, planBatches } from "../list-plan.ts";
import type { Document } from "../document.ts";
import { inOrder } from "../../base/concurrent.ts";
import { member } from "../../base/json/json-scan.ts";
import { type TextRow, textRows } from "../rows.ts";
import { comparableAddress, type Subject, subjectKey } from "../subject.ts";

type Batch = Extract<Reply, { kind: "batch" }>;

interface Found extends TextRow {
  readonly id: string;
}

type Refusal = Pick<Extract<PageNote, { readonly kind: "refused" }>, "args" | "failure">;

/**
 * Requests each distinct subject once, in as few requests as the limits allow. Rows follow the subjects' order, even
 * across networks, and a repeated subject repeats its row. Subjects without a row are listed in `missing`.
 */
export async function* askInBatches(
  request: ListRequest,
  reply: Batch,
  inputs: BatchInputs,
): AsyncGenerator<Page> {
  const { client, args, list } = request;
  const { subjects: all, fillMissing } = inputs;
  const before = list.start?.flag === "subject" ? Number(list.start.value) : 0;
  const subjects = all.slice(before);
  const answered = new Map<string, Found | "missing" | Refusal>();
  let next = 0;
  let ending: Failure | undefined;
  const asks = planBatches(subjects, reply).map((chunk) => async () => {
    const asked = new Map([...args, ["network", chunk.network], [reply.param, chunk.addresses.join(",")]]);
    if (ending !== undefined) return { ...chunk, asked, answer: ending };
    const answer = await askChunk(request, chunk, asked);
    if (answer instanceof Failure && !affectsOneInput(answer)) ending ??= answer;
    return { ...chunk, asked, answer };
  });
  const pageAt = (done: readonly Subject[], end: PageEnd): Page => {
    const ready: Found[] = [];
    const missing: Subject[] = [];
    const refused = new Map<Refusal, number>();
    for (const subject of done) {
      const found = answered.get(subjectKey(subject));
      if (found === undefined) continue;
      if (found === "missing") {
        missing.push(subject);
        if (fillMissing) ready.push(withoutValue(subject, reply));
      } else if ("failure" in found) refused.set(found, (refused.get(found) ?? 0) + 1);
      else {
        if (isWithoutValue(found, reply)) missing.push(subject);
        ready.push(found);
      }
    }
    const refusals = [...refused].map(
      ([refusal, count]) => ({ kind: "refused", ...refusal, inputs: count }) as const,
    );
    return pageOf(textRows(ready), end, [{ kind: "missing", subjects: missing }, ...refusals]);
  };
  const isAnswered = (subject: Subject | undefined): boolean =>
    subject !== undefined && answered.has(subjectKey(subject));
  const position = (): Position => ({ flag: "subject", value: String(before + next) });
  const firstAlone = !wellKnownNetworks.has(subjects[0]?.network ?? "");
  for await (const { network, addresses, asked, answer } of inOrder(asks, client.width, { firstAlone })) {
    const isRefused = answer instanceof Failure;
    if (isRefused && !affectsOneInput(answer)) continue;
    const unfound = isRefused ? { args: asked, failure: answer } : "missing";
    for (const address of addresses) answered.set(subjectKey({ network, address }), unfound);
    if (!isRefused)
      for (const found of answer) answered.set(subjectKey({ network, address: found.id }), found);
    // A row is returned as soon as all subjects before it are done, so that long lists need little memory.
    const from = next;
    while (isAnswered(subjects[next])) next += 1;
    const end = next < subjects.length ? more(position()) : ended("inputs");
    yield pageAt(subjects.slice(from, next), end);
  }
  if (ending === undefined) return;
  // Later batches were sent at the same time, and are paid for. A resumed pull requests them again.
  yield pageAt(subjects.slice(next), more(position(), [], true));
  throw ending;
}

async function askChunk(
  { client, endpoint, list }: ListRequest,
  { network, addresses }: Chunk,
  asked: Args,
): Promise<readonly Found[] | Failure> {
  const own = new Map(addresses.map((address) => [comparableAddress(address), address]));
  const request = async (): Promise<readonly Found[]> =>
    foundIn(await client.ask(endpoint, asked)).map((found) => ({
      ...found,
      id: own.get(comparableAddress(found.id)) ?? found.id,
    }));
  try {
    for (let repeats = 1; ; repeats += 1) {
      const found = await request();
      const problem = foreignRows(found, { network, addresses });
      if (problem === undefined || !list.isStrict) return found;
      // The service may have returned the response to another batch.
      if (!(await client.again(repeats, problem))) return fail("untrusted_answer", problem);
    }
  } catch (cause) {
    if (cause instanceof Failure) return cause;
    throw cause;
  }
}

/**
 * Rows of another network, which can have the same EVM address, or of tokens that were not requested. More tokens than
 * requested do no harm if each requested one has a row.
 */
function foreignRows(found: readonly Found[], { network, addresses }: Chunk): string | undefined {
  const chains = found
    .map(({ value }) => member(value, "chain"))
    .filter((chain) => typeof chain === "string");
  const foreign = chains.find((chain) => chain !== network);
  if (foreign !== undefined) return `the service returned prices of ${foreign} instead of ${network}`;
  const ids = new Set(found.map(({ id }) => id));
  const isOneMissing = addresses.some((address) => !ids.has(address));
  const other = found.find(({ id }) => !addresses.includes(id));
  if (other === undefined || !isOneMissing) return undefined;
  return `the service returned the price of ${other.id}, which was not requested`;
}

function foundIn(document: Document): readonly Found[] {
  const { text, value: rows } = document.read();
  return readRows(text, rows, "prices").map(({ row, value }, index) => {
    const id = member(value, "id");
    if (typeof id !== "string") throw invalidResponse(`invalid response: price row ${index + 1} has no id`);
    return { id, row, value };
  });
}

/** The row is output as it was sent, but has no price. */
const isWithoutValue = (found: Found, { value }: Batch): boolean =>
  (member(found.value, value) ?? null) === null;

function withoutValue({ network, address }: Subject, { value: field }: Batch): Found {
  const value = { id: address, chain: network, [field]: null };
  return { id: address, row: JSON.stringify(value), value };
}
