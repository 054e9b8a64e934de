import { endOfValue, endsScalar, OPEN_ARRAY, OPEN_OBJECT } from "./json-scan.ts";

/** JSON texts that come one after another and differ in little but some of their values, as the rows of a list do. */
export interface AlikeText {
  /**
   * Where what was learned lies in this text: a start and an end for each, -1 for what there is not. Undefined where it is
   * written otherwise than the text learned last. Good until the next call.
   */
  readonly spansIn: (text: string) => readonly number[] | undefined;
  /** Whether it is worth learning how the next text is written that has to be walked. */
  readonly isOpen: (text: string) => boolean;
  readonly learn: (text: string, walked: WalkedText) => void;
}

/** What a walk has found in a text. */
export interface WalkedText {
  /** What is looked for: a start and an end for each, -1 for what there is not. */
  readonly spans: number[];
  /** Where each value begins and ends that the walk stepped over as a whole; empty where nobody learns from it. */
  readonly values: number[];
  /** For each of them: 1 where it would have stepped into a list or an object. */
  readonly isEntered: number[];
}

/** Characters: a longer text is not kept to compare others with. */
const longest = 16 * 1024;
/** To learn takes as long as to walk several texts: it has paid once so many were like it. */
const worthwhile = 16;
/** So many texts at most are walked before one is learned again, where learning has not paid. */
const longestPause = 256;

/**
 * What stands between the values of a text is compared with what stood there before, and only they are stepped over:
 * two thirds of what a walk with its names takes. The texts have been through `JSON.parse`.
 */
export function createAlikeText(): AlikeText {
  /** What stands before each value, and behind the last. */
  let parts: readonly string[] = [];
  let isEntered: readonly number[] = [];
  /** Where each part begins in the text that was looked at last. */
  const begins: number[] = [];
  /** For each start and end in which part it lies and how far from its beginning; -1 twice for none. */
  let places: readonly number[] = [];
  const spans: number[] = [];
  /** Texts that were like the one learned last. */
  let served = 0;
  /** Texts to walk before one is learned; how many there were of them last. */
  let [left, pause] = [0, 0];

  const forget = (): void => {
    pause = served >= worthwhile ? 0 : Math.min(longestPause, 2 * pause + 1);
    [parts, served, left] = [[], 0, pause];
  };

  const isAlike = (text: string): boolean => {
    const last = parts.length - 1;
    let at = 0;
    for (let index = 0; index <= last; index += 1) {
      const part = parts[index] ?? "";
      if (!text.startsWith(part, at)) return false;
      begins[index] = at;
      at += part.length;
      if (index === last) break;
      const first = text.charCodeAt(at);
      if (endsScalar(first)) return false;
      if (isEntered[index] === 1 && (first === OPEN_OBJECT || first === OPEN_ARRAY)) return false;
      at = endOfValue(text, at);
    }
    return true;
  };

  return {
    spansIn: (text) => {
      if (parts.length === 0) return undefined;
      if (!isAlike(text)) {
        forget();
        return undefined;
      }
      served += 1;
      for (let at = 0; at < places.length; at += 2) {
        const part = places[at] ?? -1;
        spans[at >> 1] = part < 0 ? -1 : (begins[part] ?? 0) + (places[at + 1] ?? 0);
      }
      return spans;
    },
    isOpen: (text) => {
      left -= 1;
      return left < 0 && text.length <= longest;
    },
    learn: (text, { spans: found, values, isEntered: entered }) => {
      parts = Array.from({ length: values.length / 2 + 1 }, (_, index) =>
        text.slice(values[2 * index - 1] ?? 0, values[2 * index]),
      );
      isEntered = entered;
      places = found.flatMap((at) => (at < 0 ? [-1, -1] : placeOf(at, values)));
    },
  };
}

/** Nothing that is looked for begins or ends inside of a value that was stepped over. */
function placeOf(at: number, values: readonly number[]): readonly [part: number, offset: number] {
  let part = 0;
  while (2 * part < values.length && (values[2 * part] ?? 0) < at) part += 1;
  return [part, at - (values[2 * part - 1] ?? 0)];
}
