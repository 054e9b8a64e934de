import type { Agent, Dispatcher } from "undici";
import { type Answer, createAnswerBody } from "../answer/answer-body.ts";

/**
 * What one GET comes to. No stream stands between: for a body that is wanted whole it takes as long as all the rest. A request
 * that has not left yet when the signal aborts ends when it would.
 */
export function getAnswer(
  agent: Agent,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer> {
  const request = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: "GET",
    headers: { accept: "application/json", "accept-encoding": "gzip", ...headers },
  } as const;
  return new Promise((resolve, reject) => {
    let head: Omit<Answer, "body">;
    let body: ReturnType<typeof createAnswerBody>;
    const settle = (read: () => Uint8Array): void => {
      try {
        resolve({ status: head.status, headers: head.headers, body: read() });
      } catch (cause) {
        reject(cause);
      }
    };
    agent.dispatch(request, {
      onRequestStart: (controller) => {
        const abort = (): void => controller.abort(reasonOf(signal));
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort, { once: true });
      },
      onResponseStart: (_, status, received) => {
        head = { status, headers: firstValues(received) };
        body = createAnswerBody(head, url);
      },
      onResponseData: (controller, chunk) => {
        try {
          body.add(chunk);
        } catch (cause) {
          settle(() => body.without(cause));
          controller.abort(new Error("given up", { cause }));
        }
      },
      onResponseEnd: () => settle(() => body.end()),
      onResponseError: (_, cause) => reject(cause),
    });
  });
}

export function reasonOf({ reason }: Pick<AbortSignal, "reason">): Error {
  return reason instanceof Error ? reason : new Error("given up", { cause: reason });
}

/** Headers as undici hands them on. */
type ReceivedHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

/** Lower-case names; of a repeated header the first value. */
export function firstValues(headers: ReceivedHeaders): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const name in headers) {
    const value = headers[name];
    const text = typeof value === "string" ? value : value?.[0];
    if (text !== undefined) first.set(name.toLowerCase(), text);
  }
  return first;
}
