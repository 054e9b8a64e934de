/**
 * Whether the bytes at `at` are the known ones from `from` to `until`, for who knows that as many are left: V8 makes a call
 * of each look at a view's length. Eight at a time where there are as many: as a double, which V8 reads and compares at
 * once. The bits that are no number equal nothing, and those of 0 are no text.
 */
export function areSameWithin(
  known: DataView,
  from: number,
  until: number,
  view: DataView,
  at: number,
): boolean {
  const length = until - from;
  if (length < 8) {
    for (let index = 0; index < length; index += 1)
      if (known.getUint8(from + index) !== view.getUint8(at + index)) return false;
    return true;
  }
  for (let index = 0; index < length - 8; index += 8)
    if (known.getFloat64(from + index, true) !== view.getFloat64(at + index, true)) return false;
  return known.getFloat64(until - 8, true) === view.getFloat64(at + length - 8, true);
}

export function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
