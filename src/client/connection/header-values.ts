/** As undici hands them on. */
export type ReceivedHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Lower-case names; of a repeated header the first value. */
export function firstValues(headers: ReceivedHeaders): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const name in headers) {
    const value = headers[name];
    const text = typeof value === "string" ? value : value?.[0];
    if (text !== undefined) first.set(name.toLowerCase(), text);
  }
  return first;
}
