import type { ApiRequest } from "../api/args.ts";
import type { Failure } from "../base/failure.ts";
import type { Client } from "../client/client.ts";
import { notesOf, type Page } from "../client/page.ts";
import { isConfirmed } from "../client/page-end.ts";
import { type Part, pullParts } from "./pull/pull-parts.ts";
import type { PullTotals } from "./checkpoint-lines.ts";
import { countEnd, countPage } from "./pull-totals.ts";
import type { PullOptions } from "./wanted-pages.ts";

/** Where the rows of a pull go. The pull goes on when the promise has resolved; `stop` ends it. */
export interface PullSink {
  /** The page counts if the sink continues. */
  readonly page: (page: Page, request: ApiRequest) => Promise<"continue" | "stop">;
  /** An input of the page that the service rejected. Throws to end the pull. */
  readonly refused: (failure: Failure, request: ApiRequest) => Promise<void>;
  /** A request whose rows, or the rest of them, cannot be read. Throws unless the other requests are worth reading. */
  readonly failure: (failure: Failure, request: ApiRequest) => Promise<"continue" | "stop">;
  /** The pages of this request are complete. */
  readonly end: (request: ApiRequest) => Promise<void>;
  /** The totals describe all rows up to here, and a later run can continue after them. */
  readonly checkpoint: () => Promise<void>;
}

export interface StartedPull {
  /** Resolves when the sink has everything. */
  readonly into: (sink: PullSink) => Promise<void>;
}

/**
 * Every pull of dexdata: one request after the other, page by page, with its totals. The first page is requested at
 * once, and its sink can be opened meanwhile. `totals` are those of earlier runs; the pull continues after them.
 */
export function startPull(client: Client, options: PullOptions, totals: PullTotals): StartedPull {
  const parts = pullParts(client, options, { ...totals });
  const first = parts.next();
  // A failure is handled by the loop.
  first.catch(() => undefined);
  return {
    into: async (sink) => {
      try {
        for (let next = await first; next.done !== true; next = await parts.next())
          if ((await takePart(next.value, totals, sink)) === "stop") return;
      } finally {
        await parts.return(undefined).catch(() => undefined);
      }
    },
  };
}

async function takePart(part: Part, totals: PullTotals, sink: PullSink): Promise<"continue" | "stop"> {
  const { request } = part;
  if (part.kind === "page") {
    const { page } = part;
    if ((await sink.page(page, request)) === "stop") return "stop";
    countPage(totals, request, page);
    for (const { failure, args } of notesOf(page, "refused"))
      await sink.refused(failure, { ...request, args });
    // A later run requests everything after the last confirmed position again.
    if (totals.at !== undefined && isConfirmed(page)) await sink.checkpoint();
    return "continue";
  }
  if (part.kind === "end") await sink.end(request);
  else if ((await sink.failure(part.failure, request)) === "stop") return "stop";
  countEnd(totals, part.index);
  // If there are no rows, another run would report the same errors again, so there is nothing to save.
  if (totals.rows > 0 || totals.missing > 0 || part.kind === "end") await sink.checkpoint();
  return "continue";
}
