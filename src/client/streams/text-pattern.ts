import { endOfScalar, WRONG } from "../../json/plain-json.ts";
import { areSameWithin, viewOf } from "../../text/same-bytes.ts";

/** A text that others may be like. */
export interface Sample {
  readonly bytes: Buffer;
  /** Where each value of it begins and ends that another text may have otherwise, in order; none is empty. */
  readonly values: readonly number[];
  /** Places in it that are wanted of the others as well, none of them inside a value. */
  readonly marks: readonly number[];
}

/** A name of its own: one of another part of the bundle is looked up anew at each call. */
const compare = areSameWithin;

/**
 * Texts that come one after another and differ in a few of their values alone. What stays the same from text to text is
 * compared rather than walked, and values that have changed once are walked: the same bytes around values that may stand
 * there are the same grammar. A value is taken to stay until it does not.
 */
export class TextPattern {
  #bytes: Buffer = Buffer.alloc(0);
  #view = viewOf(this.#bytes);
  #values: readonly number[] = [];
  /** For each value whether it changes. */
  #changes: boolean[] = [];
  /** Where what stays begins and ends: all but the values that change. */
  #parts = new Int32Array();
  /** Where each of these stands in the text last looked at. */
  #places = new Int32Array();
  /** In which of them each mark stands, and how far behind its beginning. */
  #marks = new Int32Array();

  /** Behind the text that begins there, where it is one like the last that was learned; else -1, which says nothing. */
  endAt(bytes: Buffer, view: DataView, at: number): number {
    const known = this.#view;
    const parts = this.#parts;
    const places = this.#places;
    const { length } = parts;
    const size = bytes.length;
    let end = length === 0 ? WRONG : at;
    for (let part = 0; part < length; part += 2) {
      if (part !== 0) end = endOfScalar(bytes, end);
      if (end === WRONG) return WRONG;
      const from = parts[part] ?? 0;
      const until = parts[part + 1] ?? 0;
      const behind = end + until - from;
      if (behind > size || !compare(known, from, until, view, end)) return WRONG;
      places[part >> 1] = end;
      end = behind;
    }
    return end;
  }

  /** Where the mark of this number stands in the text that was found last. */
  markAt(number: number): number {
    const [part = 0, behind = 0] = [this.#marks[2 * number], this.#marks[2 * number + 1]];
    return (this.#places[part] ?? 0) + behind;
  }

  /** Others may be like this one. */
  learn({ bytes, values, marks }: Sample): void {
    const view = viewOf(bytes);
    this.#changes = this.#changesTo(bytes, view, values);
    [this.#bytes, this.#view, this.#values] = [bytes, view, values];
    const changing = values.filter((_, index) => this.#changes[index >> 1] === true);
    this.#parts = Int32Array.of(0, ...changing, bytes.length);
    this.#places = new Int32Array(this.#parts.length / 2);
    this.#marks = Int32Array.from(marks.flatMap((mark) => this.#partOf(mark)));
  }

  /** Which values change, after this text; none where it is of another shape than the one before. */
  #changesTo(bytes: Buffer, view: DataView, values: readonly number[]): boolean[] {
    const known = this.#values;
    if (values.length !== known.length) return [];
    const changes: boolean[] = [];
    let [from, at] = [0, 0];
    for (let index = 0; index <= values.length; index += 1) {
      const [until, end] = [known[index] ?? this.#bytes.length, values[index] ?? bytes.length];
      const isSame = until - from === end - at && compare(this.#view, from, until, view, at);
      if (index % 2 === 1) changes.push(!isSame || this.#changes[index >> 1] === true);
      else if (!isSame) return [];
      [from, at] = [until, end];
    }
    return changes;
  }

  #partOf(mark: number): readonly [number, number] {
    const parts = this.#parts;
    let part = 0;
    while (mark > (parts[part + 1] ?? mark)) part += 2;
    return [part >> 1, mark - (parts[part] ?? 0)];
  }
}
