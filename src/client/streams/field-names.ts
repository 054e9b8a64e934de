export const fields = {
  data: Buffer.from("data"),
  event: Buffer.from("event"),
  id: Buffer.from("id"),
  retry: Buffer.from("retry"),
  requestId: Buffer.from("request_id"),
};
const COLON = 0x3a;
const SPACE = 0x20;
const longestField = 10;
/** By the length of the name. */
const candidates = Array.from({ length: longestField + 2 }, (_, length) =>
  Object.values(fields).find((name) => name.length === length),
);

/** The field of that name. Its length tells all but two of them apart. */
export function fieldOf(line: Buffer, start: number, end: number): Buffer | undefined {
  const known = candidates[end - start];
  if (known === undefined) return undefined;
  if (stands(known, line, start)) return known;
  return known === fields.event && stands(fields.retry, line, start) ? fields.retry : undefined;
}

/** Where the colon stands, the end where there is none; somewhere behind the longest name that means anything. */
export function endOfName(line: Buffer, from: number, to: number): number {
  const last = Math.min(to, from + longestField + 1);
  let at = from;
  while (at < last && line[at] !== COLON) at += 1;
  return at;
}

/** Where the value of a line of this field begins; -1 where the line is none of it, or has no colon. */
export function valueOf(field: Buffer, line: Buffer, start: number): number {
  const colon = start + field.length;
  if (line[colon] !== COLON || !stands(field, line, start)) return -1;
  return line[colon + 1] === SPACE ? colon + 2 : colon + 1;
}

/** Whether the known bytes are those from there on. For a few bytes this is sooner done than called for. */
export function stands(known: Buffer, bytes: Buffer, at: number): boolean {
  const { length } = known;
  if (at + length > bytes.length) return false;
  for (let index = 0; index < length; index += 1) {
    if (bytes[at + index] !== known[index]) return false;
  }
  return true;
}
