import type { Answer } from "./transport.ts";

/**
 * A host that repeats the key in a header or in what it refuses must not make us print it: from here on nothing but
 * rows comes from the service unseen.
 */
export function hideKey(answer: Answer, key: string | undefined): Answer {
  if (key === undefined) return answer;
  const headers = new Map([...answer.headers].map(([name, value]) => [name, value.replaceAll(key, hidden)]));
  const isRefusal = answer.status < 200 || answer.status >= 300;
  const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength);
  if (!isRefusal || !body.includes(key)) return { ...answer, headers };
  return { ...answer, headers, body: Buffer.from(body.toString("utf8").replaceAll(key, hidden)) };
}

const hidden = "api_…";
