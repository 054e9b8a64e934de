import type { Agent } from "undici";
import { createAnswerBody } from "../answer/answer-body.ts";
import { firstValues } from "./header-values.ts";
import type { Answer } from "./transport.ts";

/** What one GET comes to. No stream stands between: for a body that is wanted whole it takes as long as all the rest. */
export function exchange(
  agent: Agent,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answer: Omit<Answer, "body"> = { status: 0, headers: new Map() };
    let body = createAnswerBody(answer, url);
    const settle = (read: () => Uint8Array): void => {
      try {
        resolve({ ...answer, body: read() });
      } catch (cause) {
        reject(cause);
      }
    };
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers: { accept: "application/json", "accept-encoding": "gzip", ...headers },
      },
      {
        onRequestStart: (controller) => {
          const abort = (): void => controller.abort(reasonOf(signal));
          if (signal.aborted) abort();
          else signal.addEventListener("abort", abort, { once: true });
        },
        onResponseStart: (_, status, received) => {
          answer = { status, headers: firstValues(received) };
          body = createAnswerBody(answer, url);
        },
        onResponseData: (controller, chunk) => {
          try {
            body.add(chunk);
          } catch (cause) {
            settle(() => body.without(cause));
            controller.abort(reasonOf(signal));
          }
        },
        onResponseEnd: () => settle(() => body.end()),
        onResponseError: (_, cause) => reject(cause),
      },
    );
  });
}

export function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("given up", { cause: reason });
}
