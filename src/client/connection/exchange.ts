import type { Agent, Dispatcher } from "undici";
import { type AnswerBody, createAnswerBody } from "../answer/answer-body.ts";
import { firstValues, type ReceivedHeaders } from "./header-values.ts";
import type { Answer, UnderWay } from "./transport.ts";

/** What one GET comes to. No stream stands between: for a body that is wanted whole it takes as long as all the rest. */
export function exchange(
  agent: Agent,
  url: URL,
  headers: Readonly<Record<string, string>>,
): UnderWay<Answer> {
  let giveUp: UnderWay<Answer>["giveUp"] = nothing;
  const outcome = new Promise<Answer>((resolve, reject) => {
    const collector = new AnswerCollector(url, resolve, reject);
    giveUp = (reason) => collector.giveUp(reason);
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: "GET",
        headers: { accept: "application/json", "accept-encoding": "gzip", ...headers },
      },
      collector,
    );
  });
  return { outcome, giveUp };
}

const nothing = (): void => undefined;

/** One object for all that a request may come to: closures for each would take longer than what they do. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  private readonly url: URL;
  private readonly resolve: (answer: Answer) => void;
  private readonly reject: (reason: unknown) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private reason: Error | undefined;
  private head: Omit<Answer, "body"> | undefined;
  private body: AnswerBody | undefined;

  constructor(url: URL, resolve: (answer: Answer) => void, reject: (reason: unknown) => void) {
    this.url = url;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** One that has not left yet ends when it would: until then the rejection alone ends the wait. */
  giveUp(reason: unknown): void {
    this.reason = reasonOf({ reason });
    this.reject(reason);
    this.controller?.abort(this.reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.reason !== undefined) controller.abort(this.reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, received: ReceivedHeaders): void {
    this.head = { status, headers: firstValues(received) };
    this.body = createAnswerBody(this.head, this.url);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    try {
      this.body?.add(chunk);
    } catch (cause) {
      this.settle((body) => body.without(cause));
      controller.abort(new Error("given up", { cause }));
    }
  }

  onResponseEnd(): void {
    this.settle((body) => body.end());
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.reject(cause);
  }

  private settle(read: (body: AnswerBody) => Uint8Array): void {
    if (this.head === undefined || this.body === undefined) return;
    try {
      this.resolve({ status: this.head.status, headers: this.head.headers, body: read(this.body) });
    } catch (cause) {
      this.reject(cause);
    }
  }
}

export function reasonOf({ reason }: Pick<AbortSignal, "reason">): Error {
  return reason instanceof Error ? reason : new Error("given up", { cause: reason });
}
