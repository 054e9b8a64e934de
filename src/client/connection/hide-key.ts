import type { Answer } from "./transport.ts";

/**
 * A host that repeats the key in a header or in what it refuses must not make us print it: from here on nothing but
 * rows comes from the service unseen.
 */
export function hideKey(answer: Answer, key: string | undefined): Answer {
  if (key === undefined) return answer;
  const isRefusal = answer.status < 200 || answer.status >= 300;
  const headers = withoutKey(answer.headers, key);
  if (!isRefusal) return headers === answer.headers ? answer : { ...answer, headers };
  const body = Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength);
  if (!body.includes(key)) return { ...answer, headers };
  return { ...answer, headers, body: Buffer.from(body.toString("utf8").replaceAll(key, hidden)) };
}

function withoutKey(headers: Answer["headers"], key: string): Answer["headers"] {
  for (const value of headers.values())
    if (value.includes(key))
      return new Map([...headers].map(([name, text]) => [name, text.replaceAll(key, hidden)]));
  return headers;
}

const hidden = "api_…";
