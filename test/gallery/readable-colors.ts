const NAMES: ReadonlyMap<string, string> = new Map([
  ["1", "bold"],
  ["2", "faint"],
  ["3", "italic"],
  ["4", "underlined"],
  ["7", "inverse"],
  ["31", "red"],
  ["32", "green"],
  ["33", "yellow"],
  ["34", "blue"],
  ["35", "magenta"],
  ["36", "cyan"],
  ["90", "grey"],
]);
const ENDS: ReadonlySet<string> = new Set(["0", "22", "23", "24", "27", "39", "49", ""]);

/** Colors as words, so that a file with them can be read and compared: `‹red›-1.93%‹/›`. */
export function readableColors(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the function makes these readable
  return text.replaceAll(/\u001b\[([\d;]*)m/gu, (_, codes: string) => {
    if (ENDS.has(codes)) return "‹/›";
    return `‹${codes
      .split(";")
      .map((code) => NAMES.get(code) ?? code)
      .join(" ")}›`;
  });
}

export function withoutColors(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[\d;]*m/gu, "");
}
