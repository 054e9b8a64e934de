import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openConnection } from "../../../src/client/live/subscription.ts";
import { run } from "../../harness/dexdata.ts";
import { createTestContext } from "../../harness/test-context.ts";
import { parseChunks } from "./parse-stream.ts";
import { readSharedVectors, type Vector } from "./shared-vectors.ts";

const vectors = readSharedVectors();
let requests = 0;

/** Returns the vector for `/<number>`: its status, its type, and its bytes split as in the source. */
const server = http.createServer((request, response) => {
  requests += 1;
  const { searchParams, pathname } = new URL(request.url ?? "", "http://x");
  const vector = vectors[Number(searchParams.get("address") ?? pathname.slice(1))];
  if (vector === undefined) return void response.writeHead(500).end();
  response.writeHead(vector.status, { "content-type": vector.mime });
  void send(response, vector.status === 204 || vector.status === 205 ? [] : vector.chunks);
});

async function send(response: http.ServerResponse, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    response.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe.skipIf(vectors.length === 0)("the collected vectors of other projects, over HTTP", () => {
  const named = vectors.map((vector, number) => ({ ...vector, number }));

  test.each(named.filter(({ fails }) => !fails))("$name", async (vector) => {
    const { parsed } = await ask(vector.number, vector.isLarge);
    expect(parsed.events.map(({ name, data, id }) => ({ name, data, id }))).toEqual(vector.events);
    if (vector.lastEventId !== undefined) expect(parsed.lastEventId).toBe(vector.lastEventId);
    if (vector.retry !== undefined) expect(parsed.retry).toBe(vector.retry);
  });

  test.each(named.filter(({ fails }) => fails))("$name fails in the command", async (vector) => {
    requests = 0;
    // 5xx is retried here, as the service specifies; the limit ends the retries.
    const again = vector.status >= 500 ? ["--max-reconnects", "0"] : [];
    const { exit, stdout } = await listenTo(vector, again);
    expect({ stdout, requests, isFailure: exit !== 0 }).toEqual({ stdout: "", requests: 1, isFailure: true });
  });

  const ofLargeEvents = named.filter(({ isLarge }) => isLarge);
  test.each(ofLargeEvents)("$name arrives complete in the command if its size is allowed", async (vector) => {
    const allowed = ["--max-event", "16", "--max-reconnects", "0"];
    const { exit, stderr } = await listenTo(vector, allowed);
    // The vectors' events belong to no feed, so none is written; the warning shows that they arrived.
    expect({ exit, isTaken: stderr.includes('ignoring events of an unknown kind "message"') }).toEqual({
      exit: 8,
      isTaken: true,
    });
    expect(stderr).toContain("the service ended the stream");
  });

  test("an event larger than 1 MiB is skipped and does not end its connection", async () => {
    const large = named.find(({ isLarge }) => isLarge);
    if (large === undefined) throw new Error("there is none");
    requests = 0;
    const { exit, stderr, stdout } = await listenTo(large, ["--max-reconnects", "0"]);
    expect({ exit, stdout, requests }).toEqual({ exit: 8, stdout: "", requests: 1 });
    expect(stderr).toContain("the service ended the stream");
  });
});

async function ask(number: number, isLarge: boolean): Promise<{ parsed: ReturnType<typeof parseChunks> }> {
  const context = createTestContext();
  const options = { timeout: 60_000_000, signal: new AbortController().signal };
  const opened = await openConnection(
    context,
    { url: new URL(`${url}/${number}`), headers: {}, body: undefined },
    options,
  );
  if (!("chunks" in opened)) throw new Error(`refused with ${opened.status}`);
  const chunks: Buffer[] = [];
  for await (const come of opened.chunks) chunks.push(...come);
  opened.close();
  return { parsed: parseChunks(chunks, isLarge ? 16 * 1024 * 1024 : undefined) };
}

async function listenTo({ number }: Vector & { number: number }, flags: readonly string[]) {
  const env = { DEXDATA_STREAMING_URL: url, LANG: "C.UTF-8" };
  const context = createTestContext({ flows: true, env });
  const address = `0x${number.toString(16).padStart(40, "0")}`;
  return await run(["stream", "ethereum", address, "--error-format", "text", ...flags], context);
}
