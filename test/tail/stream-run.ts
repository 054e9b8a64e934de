import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { afterEachTest } from "../harness/after-tests.ts";
import { type Outcome, run } from "../harness/dexdata.ts";
import { json, type Reply, type SeenRequest } from "../harness/scripted-server.ts";
import { createTestContext, type TestContext, type TestContextOptions } from "../harness/test-context.ts";
import { stream } from "./keeping.ts";
import type { Subject } from "../../src/client/subject.ts";

const runs: { readonly context: TestContext; readonly outcome: Promise<Outcome> }[] = [];
afterEachTest(async () => {
  for (const { context, outcome } of runs.splice(0)) {
    context.interrupt({ cause: "SIGTERM" });
    await outcome;
  }
});

/** Returns the assets of a request. */
export function askedFor({ method, body, query }: SeenRequest): readonly Subject[] {
  if (method === "POST") {
    const entries: readonly { chain: string; address: string }[] = JSON.parse(body);
    return entries.map(({ chain, address }) => ({ network: chain, address }));
  }
  return [{ network: query.get("chain") ?? "", address: query.get("address") ?? "" }];
}

/** Returns one price of each requested asset, then no more data. */
export function pricesOf(request: SeenRequest): Reply {
  return stream([
    askedFor(request)
      .map(
        ({ address }, index) =>
          `event: token_price\ndata: {"address":"${address}","p":"1"}\nrequest_id: ${index}\n\n`,
      )
      .join(""),
  ]);
}

/** Events of the run, which concern no asset in particular. */
const ofRun = new Set(["credits", "reload_refused", "unwritten", "log_lost"]);

/** Returns the lines of `--events`. Each has its time; those about assets name every asset, with labels in the same order. */
export function logged(file: string): readonly Readonly<Record<string, unknown>>[] {
  const events = readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): Record<string, unknown> => JSON.parse(line));
  for (const event of events) {
    const { at, assets, names, labels } = event;
    expect(event).toEqual({ ...event, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u) });
    expect(at).toBeDefined();
    if (ofRun.has(String(event["event"]))) continue;
    if (event["event"] === "close") expect(event["reason"]).toMatch(/./u);
    expect([event, Array.isArray(names) ? names.length : undefined]).toEqual([event, assets]);
    if (labels !== undefined) expect(labels).toHaveLength(Number(assets));
  }
  return events;
}

export function refuse(status: number, message: string, more: object = {}): Reply {
  return json({ message, ...more }, { status });
}

export interface Running {
  readonly context: TestContext;
  readonly outcome: Promise<Outcome>;
  readonly lines: () => readonly string[];
  readonly until: (condition: () => boolean) => Promise<void>;
  /** Ends the run by SIGINT. */
  readonly interrupted: () => Promise<Outcome>;
}

/** Runs `dexdata stream …` against these hosts, keyless unless the environment sets a key. */
export function listen(
  words: string | readonly string[],
  server: { readonly url: string } | undefined,
  options: TestContextOptions = {},
): Running {
  const url = server?.url ?? "http://127.0.0.1:9";
  const context = createTestContext({
    flows: true,
    ...options,
    env: {
      LANG: "C.UTF-8",
      DEXDATA_STREAMING_URL: url,
      DEXDATA_STREAMING_PRO_URL: url,
      DEXDATA_BASE_URL: "http://127.0.0.1:9",
      DEXDATA_PRO_BASE_URL: "http://127.0.0.1:9",
      ...options.env,
    },
  });
  const typed = typeof words === "string" ? words.split(" ") : words;
  const errors = typed.includes("--error-format") ? [] : ["--error-format", "text"];
  const outcome = run(["stream", ...errors, ...typed], context);
  runs.push({ context, outcome });
  let isOver = false;
  void outcome.then(() => (isOver = true));
  return {
    context,
    outcome,
    lines: () => context.stdoutText().split("\n").filter(Boolean),
    until: async (condition) => {
      while (!condition()) {
        if (isOver) throw new Error(`the run is over: ${context.stderrText()}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
    interrupted: async () => {
      context.interrupt({ cause: "SIGINT" });
      return await outcome;
    },
  };
}
