import type { Agent } from "undici";
import { createAnswerBody } from "../answer/answer-body.ts";
import { firstValues } from "./header-values.ts";
import type { Answer, UnderWay } from "./transport.ts";

/** What one GET comes to. No stream stands between: for a body that is wanted whole it takes as long as all the rest. */
export function exchange(
  agent: Agent,
  url: URL,
  headers: Readonly<Record<string, string>>,
): UnderWay<Answer> {
  let giveUp: UnderWay<Answer>["giveUp"] = nothing;
  const outcome = new Promise<Answer>((resolve, reject) => {
    let answer: Omit<Answer, "body"> = { status: 0, headers: new Map() };
    let body = createAnswerBody(answer, url);
    let end: Error | undefined;
    let abort: ((reason: Error) => void) | undefined;
    // One that has not left yet ends when it would: until then the rejection alone ends the wait.
    giveUp = (reason) => {
      end = reasonOf({ reason });
      reject(reason);
      abort?.(end);
    };
    const settle = (read: () => Uint8Array): void => {
      try {
        resolve({ status: answer.status, headers: answer.headers, body: read() });
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
          if (end !== undefined) controller.abort(end);
          else abort = (reason) => controller.abort(reason);
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
            controller.abort(new Error("given up", { cause }));
          }
        },
        onResponseEnd: () => settle(() => body.end()),
        onResponseError: (_, cause) => reject(cause),
      },
    );
  });
  return { outcome, giveUp };
}

const nothing = (): void => undefined;

export function reasonOf({ reason }: Pick<AbortSignal, "reason">): Error {
  return reason instanceof Error ? reason : new Error("given up", { cause: reason });
}
