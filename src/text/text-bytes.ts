/** A text as UTF-8, within other bytes. */
export interface TextBytes {
  readonly view: DataView;
  readonly from: number;
  readonly to: number;
}

export function toBytes(text: string): TextBytes {
  const bytes = Buffer.from(text);
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), from: 0, to: bytes.length };
}
