/** The text of a JSON value, without the quotes of a string; undefined for null and for what does not exist. */
export function plainText(raw: string | undefined): string | undefined {
  if (raw === undefined || raw === "null") return undefined;
  if (!raw.startsWith('"')) return raw;
  return raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1);
}
