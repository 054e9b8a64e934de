import { closeSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";

/** Marks the keys of the tests: part of a key counts as a sighting too, and so does an encoded key. */
export const secretMark = "s3cr3t";

/**
 * Text that must not be written anywhere: a key of any plan, except the ones that the sandbox prints on purpose, and the
 * mark, as plain text or in base64 or hex.
 */
const forbidden = new RegExp(
  [
    String.raw`api_(?!\w+_sandbox\b)(?:free|dev|pro|enterprise)_[\w.~+/-]{3,}`,
    secretMark,
    ...writings(secretMark),
  ].join("|"),
  "u",
);
const longest = 64;

function writings(text: string): readonly string[] {
  const shifted = [0, 1, 2].map((before) => {
    const encoded = Buffer.from(`${"x".repeat(before)}${text}`)
      .toString("base64")
      .replaceAll("=", "");
    // The first characters contain bits of the preceding bytes, and the last ones bits of the following bytes.
    const whole = encoded.slice(before === 0 ? 0 : before + 1, Math.floor(((before + text.length) * 8) / 6));
    return whole.replaceAll("+", String.raw`\+`);
  });
  return [...shifted, Buffer.from(text).toString("hex")];
}

/** Searches the chunks of one output, each with the end of the previous one: a key may be split across two writes. */
export interface Search {
  /** Returns the text around the first key, including the key. */
  readonly see: (chunk: Buffer) => string | undefined;
}

export function startSearch(): Search {
  let before = "";
  return {
    see: (chunk) => {
      // One character per byte: the pattern is ASCII, and all other bytes stay unchanged.
      const text = before + chunk.toString("latin1");
      before = text.slice(-longest);
      const found = forbidden.exec(text);
      if (found === null) return undefined;
      before = "";
      return text.slice(Math.max(0, found.index - longest), found.index + longest);
    },
  };
}

export interface Searched {
  readonly files: number;
  readonly bytes: number;
  readonly sightings: readonly string[];
}

/**
 * Searches every file of a directory. Key stores, and files that a test passes as keys (their names begin with `key`),
 * contain keys on purpose; bundled programs contain the keys from the test sources.
 */
export function searchFolder(folder: string): Searched {
  const sightings: string[] = [];
  let [files, bytes] = [0, 0];
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, entry);
    if (/^(?:credentials\.json|key)|\.cjs$/u.test(path.basename(file))) continue;
    if (!(lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? false)) continue;
    files += 1;
    bytes += searchFile(file, (seen) => sightings.push(`${file}: ${seen}`));
  }
  return { files, bytes, sightings };
}

/** One for all files: a new megabyte for each of thousands of small files took longer than reading them. */
const buffer = Buffer.alloc(1 << 20);

function searchFile(file: string, report: (seen: string) => void): number {
  const descriptor = openSync(file, "r");
  try {
    const { see } = startSearch();
    let bytes = 0;
    for (;;) {
      const length = readSync(descriptor, buffer, 0, buffer.length, null);
      if (length === 0) return bytes;
      bytes += length;
      const seen = see(buffer.subarray(0, length));
      if (seen !== undefined) report(seen);
    }
  } finally {
    closeSync(descriptor);
  }
}
