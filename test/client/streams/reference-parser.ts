import type { Parsed } from "./parse-stream.ts";
import type { ExpectedEvent } from "./stream-cases.ts";

/**
 * Implements the standard's algorithm literally on the complete text, without regard to speed or size. Tests compare the
 * parser with it on random inputs.
 */
export function parseByTheStandard(stream: Buffer): Parsed {
  const text = new TextDecoder("utf-8", { ignoreBOM: false }).decode(stream);
  const lines = text.split(/\r\n|\r|\n/u);
  // Text after the last line end is not a line.
  lines.pop();
  const events: ExpectedEvent[] = [];
  let [data, name, idBuffer, lastEventId]: [string, string, string, string] = ["", "", "", ""];
  let [requestId, retry]: [string | undefined, number | undefined] = [undefined, undefined];
  for (const line of lines) {
    if (line === "") {
      lastEventId = idBuffer;
      const dispatched = { name: name || "message", data: data.slice(0, -1), id: lastEventId, requestId };
      if (data !== "") events.push(dispatched);
      [data, name, requestId] = ["", "", undefined];
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (field === "data") data += `${value}\n`;
    if (field === "event") name = value;
    if (field === "id" && !value.includes("\0")) idBuffer = value;
    if (field === "retry" && /^[0-9]+$/u.test(value)) retry = Number(value);
    if (field === "request_id") requestId = value;
  }
  return { events, lastEventId, retry, hasOverflown: false };
}
