import { dataOf, isSkipped, type StreamEvent } from "../stream-event.ts";
import { failAsService } from "../../api/service-errors.ts";
import { fail, type Failure } from "../../base/failure.ts";
import { member, parseJson } from "../../base/json/json-scan.ts";
import { shortened } from "../../base/text/words.ts";

/** The event's `message`, or all of its data if it has none. The text is untrusted. */
export function textOf(event: StreamEvent): string {
  if (isSkipped(event)) return "(larger than the limit)";
  const text = dataOf(event).toString("utf8");
  const message = member(parseJson(text), "message");
  return shortened(typeof message === "string" ? message : text);
}

/** The client closes the stream and retries (specification, Events 2), unless an asset is unknown. */
export function streamError(event: StreamEvent): Failure {
  const why = textOf(event);
  if (/\btoken not found\b/iu.test(why)) {
    return failAsService("not_found", "one of the assets is unknown to the service", {
      why,
      next: "find the address: dexdata search <address>",
    });
  }
  return fail("stream_error", `the service ended the stream with an error: ${why}`, { next: undefined, why });
}
