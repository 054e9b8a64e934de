import { stands } from "./field-names.ts";

/** A text that mostly is the one before: then it is compared rather than decoded. */
export class KnownText {
  #bytes: Buffer = Buffer.alloc(0);
  #text = "";

  of(bytes: Buffer, start: number, end: number): string {
    if (end - start !== this.#bytes.length || !stands(this.#bytes, bytes, start)) {
      this.#bytes = Buffer.from(bytes.subarray(start, end));
      this.#text = this.#bytes.toString("utf8");
    }
    return this.#text;
  }
}
