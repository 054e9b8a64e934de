import { existsSync, readFileSync } from "node:fs";

/** A stream from the collected vectors of several projects, and its expected events. */
export interface Vector {
  readonly name: string;
  readonly bytes: Buffer;
  /** Split as in the source test. */
  readonly chunks: readonly Buffer[];
  readonly events: readonly { readonly name: string; readonly data: string; readonly id: string }[];
  readonly lastEventId: string | undefined;
  readonly retry: number | undefined;
  readonly mime: string;
  readonly status: number;
  /** The connection must fail, without an event and without another attempt. */
  readonly fails: boolean;
  /** Contains an event larger than the program's limit. */
  readonly isLarge: boolean;
}

interface Written {
  readonly name: string;
  readonly stream?: string;
  readonly stream_base64?: string;
  readonly chunks_base64?: readonly string[];
  readonly generate?: { readonly bytes: number; readonly chunks: number };
  readonly expected_events: readonly { event: string; data: string; id: string }[];
  readonly expected_last_event_id?: string;
  readonly expected_retry?: number | null;
  readonly mime?: string;
  readonly status?: number;
  readonly expect?: string;
}

/** The vectors are stored outside this project, under their own licenses. The list is empty if the directory is missing. */
const file = new URL("../../../../shared/vectors/sse.json", import.meta.url);

export function readSharedVectors(): readonly Vector[] {
  if (!existsSync(file)) return [];
  const { cases }: { readonly cases: readonly Written[] } = JSON.parse(readFileSync(file, "utf8"));
  return cases.map(read);
}

function read(written: Written): Vector {
  const { generate } = written;
  const payload = "x".repeat(generate?.bytes ?? 0);
  const bytes =
    generate === undefined
      ? Buffer.from(
          written.stream ?? written.stream_base64 ?? "",
          written.stream === undefined ? "base64" : "utf8",
        )
      : Buffer.from(`data: ${payload}\n\n`);
  const size = Math.ceil(bytes.length / (generate?.chunks ?? 1));
  const { expected_events: events } = written;
  return {
    name: written.name,
    bytes,
    chunks:
      written.chunks_base64?.map((each) => Buffer.from(each, "base64")) ??
      (generate === undefined ? [bytes] : [bytes.subarray(0, size), bytes.subarray(size)]),
    events:
      generate === undefined
        ? events.map(({ event, data, id }) => ({ name: event, data, id }))
        : [{ name: "message", data: payload, id: "" }],
    lastEventId: written.expected_last_event_id,
    retry: written.expected_retry ?? undefined,
    mime: written.mime ?? "text/event-stream",
    status: written.status ?? 200,
    fails: written.expect === "fail",
    isLarge: generate !== undefined,
  };
}
