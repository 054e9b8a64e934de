import { areSame } from "../json/byte-scan.ts";
import { parseRfc3339 } from "./time.ts";

const [COLON, LETTER_Z] = [58, 90];
/** The length of `2026-11-20T12:00:00Z`, and that of its day. */
const [plainLength, dayLength] = [20, 11];

/**
 * Returns a function that reads times such as `2026-11-20T12:00:00Z` from bytes, in Unix seconds; NaN for any other text.
 * Neighboring rows share their day, which is then parsed only once, and no string is created.
 */
export function createPlainTimes(): (view: DataView, from: number, to: number) => number {
  const day = new Uint8Array(dayLength);
  const dayView = new DataView(day.buffer);
  let midnight = Number.NaN;
  return (view, from, to) => {
    const time = to - from === plainLength ? secondsOfDay(view, from + dayLength) : Number.NaN;
    if (!Number.isNaN(time) && !areSame(dayView, 0, dayLength, view, from)) {
      const text = Buffer.from(view.buffer, view.byteOffset + from, plainLength);
      midnight = (parseRfc3339(text.toString("latin1"))?.seconds ?? Number.NaN) - time;
      day.set(text.subarray(0, dayLength));
    }
    return midnight + time;
  };
}

/** NaN unless the bytes are like those of `12:00:00Z`. Second 60 may be on another day. */
function secondsOfDay(view: DataView, at: number): number {
  const isMarked = view.getUint8(at + 2) === COLON && view.getUint8(at + 5) === COLON;
  if (!isMarked || view.getUint8(at + 8) !== LETTER_Z) return Number.NaN;
  return twoDigits(view, at, 24) * 3600 + twoDigits(view, at + 3, 60) * 60 + twoDigits(view, at + 6, 60);
}

function twoDigits(view: DataView, at: number, below: number): number {
  const [tens, ones] = [view.getUint8(at) ^ 48, view.getUint8(at + 1) ^ 48];
  const value = tens * 10 + ones;
  return tens < 10 && ones < 10 && value < below ? value : Number.NaN;
}
