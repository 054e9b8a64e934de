const onlySpeed = "equivalent: only how fast, or in how much memory";
const neverComes = "equivalent: the default never comes, or is refused as well";

/** The reason why a mutant may survive, by its name. */
export const words: Readonly<Record<string, string>> = {
  'src/client/streams/event-frame.ts: const [text, field = "", value = ""] = line; → const [text, field = "x", value = ""] = line;':
    neverComes,
  'src/rows/parquet/file-mark.ts: footer.write(hash, footer.lastIndexOf(hashMember) + hashMember.length, "latin1"); → footer.write(hash, footer.lastIndexOf(hashMember) + hashMember.length, "");':
    "equivalent: a hash has only ASCII characters, which both encodings write alike",
  'src/client/http-times.ts: const [hour = 99, minute = 99, second = 99] = (groups["time"] ?? "").split(":").map(Number); → const [hour = 99, minute = 100, second = 99] = (groups["time"] ?? "").split(":").map(Number);':
    neverComes,
  'src/api/service-errors.ts: if (status >= 500) return { exit: 7, retryable, code: code ?? "unavailable" } as const; → if (status > 500) return { exit: 7, retryable, code: code ?? "unavailable" } as const;':
    "equivalent: 500 itself is in the table above",
  'src/client/http-times.ts: const [hour = 99, minute = 99, second = 99] = (groups["time"] ?? "").split(":").map(Number); → const [hour = 99, minute = 99, second = 99] = (groups["time"] ?? "x").split(":").map(Number);':
    neverComes,
  "src/base/json/json-text.ts: if (!MAY_HAVE_BLANKS.test(text)) return text; → if (!MAY_HAVE_BLANKS.test(text)) ;":
    onlySpeed,
  "src/base/text/unsafe-text.ts: export const asciiText = createEscape(`${UNSAFE_IN_LINE}\\\\u0080-\\\\u{10ffff}`); → export const asciiText = createEscape(`${UNSAFE_IN_LINE}\\\\u0081-\\\\u{10ffff}`);":
    "equivalent: U+0080 is in the other ranges as well",
  "src/client/streams/event-stream.ts: const hasSpace = colon + 1 < end && line[colon + 1] === SPACE; → const hasSpace = colon + 1 <= end && line[colon + 1] === SPACE;":
    "equivalent: a line break follows the end of a line",
  "src/client/stream-event.ts: if (digits < 1 || digits > maxDigits || (digits > 1 && bytes[start] === ZERO)) return -1; → if (digits < 1 || digits > maxDigits || (digits > 1 && bytes[start] === ZERO)) return -2;":
    "equivalent: callers only ask whether it is negative",
  "src/base/byte-store.ts: const usuallyKept = 64 * 1024; → const usuallyKept = 64 / 1024;": onlySpeed,
  "src/rows/checkpoint.ts: for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) { → for (let end = bytes.indexOf(0x0a); end >= 1; end = bytes.indexOf(0x0a, start)) {":
    "equivalent: a checkpoint that begins with an empty line tells of nothing either way",
  "src/rows/out-files/row-file.ts: await handle.close(); → ;":
    "unnoticed: a descriptor that the end of the process closes",
  "src/rows/rows-file.ts: await rows.sync(); → ;": "unnoticed: only a loss of power would show it",
  "src/client/response/byte-rows.ts: const end = spans[at + 1] ?? 0; → const end = spans[at + 1] ?? 1;":
    neverComes,
  "src/base/json/byte-scan.ts: kind = inString[bytes[index] ?? 0]; → kind = inString[bytes[index] ?? 1];":
    neverComes,
  'src/base/key.ts: .replace(/^([a-z][\\w+.-]*:[/\\\\]*)?.*@/isu, "$1…@") → .replace(/([a-z][\\w+.-]*:[/\\\\]*)?.*@/isu, "$1…@")':
    onlySpeed,
  'src/base/json/json-scan.ts: return quoted.includes("\\\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1); → return quoted.includes("") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);':
    onlySpeed,
  'src/client/pages/next-cursor.ts: const close = first < 0 ? -1 : tail.lastIndexOf("]", first); → const close = first < 0 ? -2 : tail.lastIndexOf("]", first);':
    "equivalent: where a name is missing, members from the very beginning promise nothing either",
  'src/client/pages/next-cursor.ts: const close = first < 0 ? -1 : tail.lastIndexOf("]", first); → const close = first < 1 ? -1 : tail.lastIndexOf("]", first);':
    "equivalent: where a name begins at 0, no bracket stands before it",
  "src/client/pages/next-cursor.ts: const first = Math.min(tail.lastIndexOf('\"has_next_page\"'), tail.lastIndexOf('\"next_cursor\"')); → const first = Math.max(tail.lastIndexOf('\"has_next_page\"'), tail.lastIndexOf('\"next_cursor\"'));":
    onlySpeed,
  "src/client/response/byte-rows.ts: for (let at = 0; at < spans.length; at += stride) { → for (let at = 0; at <= spans.length; at += stride) {":
    "equivalent: only an empty run is added",
  "src/client/pages/next-cursor.ts: return undefined; → ;": "equivalent: nothing is given either way",
  'src/client/pages/next-cursor.ts: const [, members] = /^\\]\\s*,(.*)$/su.exec(tail.toString("utf8", close)) ?? []; → const [, members] = /\\]\\s*,(.*)$/su.exec(tail.toString("utf8", close)) ?? [];':
    "equivalent: behind a later bracket one of both names is missing",
  "src/client/pages/next-cursor.ts: const longestTail = 2 * longestCursor; → const longestTail = 3 * longestCursor;":
    onlySpeed,
  "src/base/json/byte-scan.ts: if (depth > MOST_DEPTH) throw new UnsupportedByScanner(); → if (depth >= MOST_DEPTH) throw new UnsupportedByScanner();":
    onlySpeed,
  "src/base/json/byte-scan.ts: const escaped = this.bytes[at + 1] ?? 0; → const escaped = this.bytes[at + 1] ?? 1;":
    neverComes,
  "src/client/pages/next-cursor.ts: if (close === -1) return undefined; → if (close === -1) ;":
    "equivalent: without the bracket the pattern finds nothing",
  "src/client/response/byte-rows.ts: if (byte < ZERO || byte > NINE) return false; → if (byte < ZERO || byte >= NINE) return false;":
    onlySpeed,
  "src/client/response/byte-rows.ts: const to = spans[at + 1] ?? -1; → const to = spans[at + 1] ?? -2;":
    neverComes,
  "src/base/text/text-hash.ts: into.low = low ^ (low >>> 13); → into.low = low ^ (low >>> 14);":
    "equivalent: another hash, and as good a one",
  "src/client/response/byte-rows.ts: throw cause; → ;":
    "unnoticed: nothing else is thrown there, as long as the program is not wrong itself",
  "src/client/response/byte-rows.ts: return to - from <= maxDigits; → return to + from <= maxDigits;":
    onlySpeed,
  "src/client/response/byte-rows.ts: isWide = scan.wide.length > 0; → isWide = scan.wide.length > 1;":
    "equivalent: a start and an end come together",
  "src/client/response/byte-rows.ts: const [ZERO, NINE] = [48, 57]; → const [ZERO, NINE] = [48, 58];":
    "equivalent: no colon stands in a value that was cut",
  "src/base/text/text-hash.ts: into.high = 0x9e3779b9 | 0; → into.high = 0x9e3779b9 | 1;":
    "equivalent: the number is odd already",
  "src/base/text/text-hash.ts: into.high = high ^ (high >>> 13); → into.high = high ^ (high >>> 14);":
    "equivalent: another hash, and as good a one",
  "src/client/response/byte-rows.ts: return to - from <= maxDigits; → return to - from < maxDigits;":
    onlySpeed,
  "src/base/text/text-hash.ts: into.low = 0x811c9dc5 | 0; → into.low = 2166136262 | 0;":
    "equivalent: another hash, and as good a one",
  "src/base/text/text-hash.ts: into.low = low ^ (low >>> 13); → ;":
    "unnoticed: another hash, mixed less in one of its words",
  "src/client/response/byte-rows.ts: isWide = scan.wide.length > 0; → isWide = scan.wide.length >= 0;":
    onlySpeed,
  'src/client/pages/next-cursor.ts: const close = first < 0 ? -1 : tail.lastIndexOf("]", first); → const close = first <= 0 ? -1 : tail.lastIndexOf("]", first);':
    "equivalent: no bracket stands before the first byte",
  "src/base/json/json-text.ts: const MAY_HAVE_BLANKS = /[\\n\\r\\t]|[[\\]{}:,] | [[\\]{}:,]|^ | $/; → const MAY_HAVE_BLANKS = /[\\n\\r\\t]|[[\\]{}:,] | [[\\]{}:,]|^ | /;":
    onlySpeed,
  "src/base/json/json-text.ts: if (kept === 0) return text; → if (kept === 0) ;": onlySpeed,
  'src/base/key.ts: [/^\\s*(?:export\\s+|set\\s+|\\$env:)?\\w+\\s*=/u, "starts with a variable name", KEY_ALONE], → [/^\\s*(?:export\\s+|set\\s*|\\$env:)?\\w+\\s*=/u, "starts with a variable name", KEY_ALONE],':
    "equivalent: without a space, the name itself starts with set",
};
