/**
 * RFC 4180 with LF, parsed strictly: anything ambiguous throws. An unquoted empty cell is null and `""` an
 * empty string, as in PostgreSQL.
 */
export function parseCsv(text: string): readonly (readonly (string | undefined)[])[] {
  const rows: (string | undefined)[][] = [];
  let row: (string | undefined)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    let cell: string | undefined;
    if (text[at] === '"') {
      const end = /"(?!")/u.exec(text.slice(at + 1).replaceAll('""', "  "))?.index;
      if (end === undefined) throw new Error(`no closing quote for that at ${at}`);
      cell = text.slice(at + 1, at + 1 + end).replaceAll('""', '"');
      at += end + 2;
    } else {
      const [bare = ""] = /^[^",\r\n]*/u.exec(text.slice(at)) ?? [];
      cell = bare === "" ? undefined : bare;
      at += bare.length;
    }
    row.push(cell);
    if (text[at] === "\n") {
      rows.push(row);
      row = [];
    } else if (text[at] !== ",") throw new Error(`neither a comma nor the end of a line at ${at}`);
  }
  if (row.length > 0) throw new Error("the last line has no end");
  return rows;
}

/** The value of a CSV cell before it was guarded and escaped. */
export function textOfCsv(cell: string | undefined): string | undefined {
  const text = cell?.replaceAll(
    /\\(?:u\{([\da-f]+)\}|([nrt\\]))/gu,
    (whole: string, code: string | undefined, named: string | undefined) =>
      code === undefined ? (names[named ?? ""] ?? whole) : String.fromCodePoint(Number.parseInt(code, 16)),
  );
  return text !== undefined && /^'[\s']*[=+\-@＝＋－＠]/u.test(text) ? text.slice(1) : text;
}

const names: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\" };

/** The text format of PostgreSQL's COPY, as documented; the bytes of a lone surrogate are decoded to it. */
export function parseTsv(text: string): readonly (readonly (string | undefined)[])[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line has no end");
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => line.split("\t").map((cell) => (cell === "\\N" ? undefined : unescape(cell))));
}

function unescape(cell: string): string {
  return cell.replaceAll(/(?:\\x[\da-f]{2})+|\\./gu, (escape) => {
    if (!escape.startsWith("\\x")) {
      const named = names[escape.slice(1)];
      if (named === undefined) throw new Error(`${escape} stands for itself`);
      return named;
    }
    const bytes = Buffer.from(escape.replaceAll("\\x", ""), "hex");
    let decoded = "";
    for (let at = 0; at < bytes.length;) {
      const lead = bytes[at] ?? 0;
      const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      let code = length === 1 ? lead : lead & (0x7f >> length);
      for (const next of bytes.subarray(at + 1, at + length)) code = (code << 6) | (next & 0x3f);
      decoded += String.fromCodePoint(code);
      at += length;
    }
    return decoded;
  });
}
