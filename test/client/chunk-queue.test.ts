import { expect, test } from "vitest";
import { createChunkQueue } from "../../src/client/connection/answer-body.ts";

function opened() {
  const said: string[] = [];
  const source = { pause: () => void said.push("pause"), resume: () => void said.push("resume") };
  const queue = createChunkQueue(source);
  return { queue, said, taken: queue.chunks };
}

const texts = ({ done, value }: IteratorResult<readonly Buffer[], unknown>): unknown =>
  Array.isArray(value) && done !== true ? value.map(String) : { done, value };

test("all queued chunks are returned at once, and later chunks as they arrive", async () => {
  const { queue, taken } = opened();
  queue.add(Buffer.from("a"));
  queue.add(Buffer.from("b"));
  expect(texts(await taken.next())).toEqual(["a", "b"]);
  const next = taken.next();
  setTimeout(() => {
    queue.add(Buffer.from("c"));
    queue.add(Buffer.from("d"));
  }, 1);
  expect(texts(await next)).toEqual(["c"]);
  expect(texts(await taken.next())).toEqual(["d"]);
});

test("the source is paused while 64 KiB are queued, and resumed once they are read", async () => {
  const { queue, said, taken } = opened();
  queue.add(Buffer.alloc(64 * 1024 - 1));
  expect(said).toEqual([]);
  queue.add(Buffer.alloc(1));
  expect(said).toEqual(["pause"]);
  await taken.next();
  expect(said).toEqual(["pause", "resume"]);
  queue.add(Buffer.alloc(1));
  expect(said).toHaveLength(2);
  queue.add(Buffer.alloc(64 * 1024));
  expect(said).toEqual(["pause", "resume", "pause"]);
});

test("chunks received before the end or a connection error are returned first", async () => {
  const ended = opened();
  ended.queue.add(Buffer.from("a"));
  ended.queue.end();
  ended.queue.fail(new Error("too late"));
  expect(texts(await ended.taken.next())).toEqual(["a"]);
  expect(await ended.taken.next()).toEqual({ done: true, value: undefined });

  const broken = opened();
  const next = broken.taken.next();
  broken.queue.add(Buffer.from("a"));
  broken.queue.fail(new Error("reset"));
  expect(texts(await next)).toEqual(["a"]);
  await expect(broken.taken.next()).rejects.toThrow("reset");

  const waiting = opened();
  const never = waiting.taken.next();
  waiting.queue.fail(new Error("reset"));
  await expect(never).rejects.toThrow("reset");
});
