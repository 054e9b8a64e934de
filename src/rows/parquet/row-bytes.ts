/**
 * Canonical rows as UTF-8, in memory that is used again. As strings, they would be most of the garbage of a conversion,
 * and collecting it took half of the time.
 */
export class RowBytes {
  #bytes = Buffer.allocUnsafe(firstLength);
  #view = viewOf(this.#bytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Valid until more is added. */
  get view(): DataView {
    return this.#view;
  }

  /** Valid until more is added. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  text(from: number): string {
    return this.#bytes.toString("utf8", from, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  addText(text: string): void {
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Faster for short texts, such as numbers. */
  addAscii(text: string): void {
    this.#reserve(text.length);
    const start = this.#length;
    for (let at = 0; at < text.length; at += 1) this.#bytes[start + at] = text.charCodeAt(at);
    this.#length += text.length;
  }

  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Adds a JSON string with this text, which is UTF-8. */
  addString(text: Uint8Array): void {
    this.#reserve(text.length + 2);
    const start = this.#length + 1;
    const end = start + text.length;
    this.#bytes.set(text, start);
    for (let at = start; at < end; at += 1) {
      const byte = this.#bytes[at] ?? 0;
      if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) continue;
      this.addText(JSON.stringify(Buffer.from(text).toString()));
      return;
    }
    this.#bytes[start - 1] = QUOTE;
    this.#bytes[end] = QUOTE;
    this.#length = end + 1;
  }

  /** Adds an earlier member again. If that was the first one of its row, it no longer begins with a comma. */
  repeat(from: number, to: number): void {
    if (from === to) return;
    this.#reserve(to - from);
    this.#bytes.copyWithin(this.#length, from, to);
    this.#bytes[this.#length] = COMMA;
    this.#length += to - from;
  }

  /** Each of the members since `start` begins with a comma. */
  endRow(start: number): void {
    this.#reserve(3);
    if (this.#length === start) this.#length += 1;
    this.#bytes[start] = OPEN_OBJECT;
    this.#bytes[this.#length++] = CLOSE_OBJECT;
    this.#bytes[this.#length++] = LF;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.bytes());
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

const firstLength = 1024 * 1024;
const [LF, SPACE, QUOTE, COMMA, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT] = [10, 32, 34, 44, 92, 123, 125];
