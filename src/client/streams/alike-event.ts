import { viewOf } from "../../text/same-bytes.ts";
import { TextPattern } from "./text-pattern.ts";
import { marks, sampleOf } from "./event-sample.ts";
import { numberOf } from "./stream-event.ts";

/** Bytes: a larger event is not kept to compare others with. */
const largest = 16 * 1024;
/** So many events in a row that were not like the one before, and only one of as many more is kept. */
const patience = 16;
const nothing: Buffer = Buffer.alloc(0);
const emptyView = viewOf(nothing);

/**
 * An event like one before, all of its lines at once: known where it lies, without a search for the end of any of them.
 * Its data are plain JSON.
 */
export class AlikeEvent {
  /** As the stream writes it; empty where it names none. */
  name = "";
  /** Undefined where such events have none; like all behind it, of the event that was found last. */
  id: number | undefined;
  requestId: number | undefined;
  /** Where its data begin and end. */
  start = 0;
  end = 0;
  readonly #text = new TextPattern();
  #hasId = false;
  #hasRequestId = false;
  #learned = 0;
  #chunk = nothing;
  #view = emptyView;

  /** Behind the empty line of the event that begins there, where it is such a one; else -1, which says nothing. */
  endAt(chunk: Buffer, at: number): number {
    if (chunk !== this.#chunk) [this.#chunk, this.#view] = [chunk, viewOf(chunk)];
    const text = this.#text;
    const end = text.endAt(chunk, this.#view, at);
    if (end < 0) return -1;
    const id = this.#hasId ? this.#numberAt(marks.id) : 0;
    const requestId = this.#hasRequestId ? this.#numberAt(marks.requestId) : 0;
    // What stands there may be another value of JSON.
    if (id < 0 || requestId < 0) return -1;
    if (this.#hasId) this.id = id;
    if (this.#hasRequestId) this.requestId = requestId;
    this.start = text.markAt(marks.data);
    this.end = text.markAt(marks.data + 1);
    this.#learned = 0;
    return end;
  }

  #numberAt(mark: number): number {
    return numberOf(this.#chunk, this.#text.markAt(mark), this.#text.markAt(mark + 1));
  }

  /** The next ones may be like this one, which stands there whole. */
  learn(chunk: Buffer, start: number, end: number, name: string): void {
    this.#learned += 1;
    if (end - start > largest || (this.#learned > patience && this.#learned % patience !== 0)) return;
    const sample = sampleOf(Buffer.from(chunk.subarray(start, end)));
    if (sample === undefined) return;
    this.#text.learn(sample);
    this.name = name;
    this.#hasId = sample.marks[marks.id] !== 0;
    this.#hasRequestId = sample.marks[marks.requestId] !== 0;
    [this.id, this.requestId] = [undefined, undefined];
  }

  /** Keeps nothing of the chunk it was last asked about. */
  leave(): void {
    [this.#chunk, this.#view] = [nothing, emptyView];
  }
}
