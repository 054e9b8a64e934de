/** What a time bound may look like, an example of each form, as `parseTimeBound` reads it. */
export const timeForms: readonly (readonly [example: string, meaning: string])[] = [
  ["now", "the instant the run began"],
  ["-90s", "seconds before now; the minus may be left out"],
  ["-15m", "minutes"],
  ["-24h", "hours"],
  ["-7d", "days of 24 hours"],
  ["2026-11-21", "a date: 00:00 UTC, in every time zone"],
  ["2026-11-21T08:54:00Z", "RFC 3339, with any fraction of a second"],
  ["2026-11-21T10:54:00+02:00", "and with any offset"],
  ["1795251240", "unix seconds, up to 11 digits; milliseconds are refused"],
];
