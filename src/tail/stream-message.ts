import { dataOf, isSkipped, type StreamEvent } from "../client/streams/received-event.ts";
import { fail, type Failure } from "../contract/failure.ts";
import { member } from "../json/own-member.ts";

/** Nobody reads more of what a service says, and an event may hold a megabyte. */
const longest = 1024;

export function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** What a `warning` or an `error` says: its `message`, or all of it where it has none. Untrusted text. */
export function textOf(event: StreamEvent): string {
  if (isSkipped(event)) return "(larger than the limit)";
  const text = dataOf(event).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    const message = typeof value === "object" && value !== null ? member(value, "message") : undefined;
    return shortened(typeof message === "string" ? message : text);
  } catch {
    return shortened(text);
  }
}

/** Specification, Events 2: closed and tried again; but an asset that is not known will not be known the next time. */
export function streamError(event: StreamEvent): Failure {
  const why = textOf(event);
  if (/\btoken not found\b/iu.test(why)) {
    return fail("not_found", "the service does not know an asset of the stream", {
      why,
      next: "look it up: dexdata search <address>",
    });
  }
  return fail("stream_error", `the service ended the stream with an error: ${why}`, { next: undefined, why });
}
