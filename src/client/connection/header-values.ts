/** Lower-case names; of a repeated header the first value. */
export function firstValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const name in headers) {
    const value = headers[name];
    const text = typeof value === "string" ? value : value?.[0];
    if (text !== undefined) first.set(name.toLowerCase(), text);
  }
  return first;
}
