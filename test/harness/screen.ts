/**
 * Returns the lines that a terminal shows after these bytes, without blank lines at the end. It knows the sequences that
 * this program sends to redraw lines, and throws at any other.
 */
export function screenOf(text: string): readonly string[] {
  let lines: readonly string[] = [""];
  let [row, column] = [0, 0];
  const put = (line: string): void => {
    lines = lines.with(row, line);
  };
  for (const { command, after } of commandsIn(text)) {
    if (command === "[1G") column = 0;
    else if (command === "[2K") put("");
    else if (command !== "" && command !== "[?2026h" && command !== "[?2026l")
      throw new Error(`the screen does not know ${command}`);
    for (const character of after) {
      if (character === "\n") {
        [row, column] = [row + 1, 0];
        if (lines.length === row) lines = [...lines, ""];
        continue;
      }
      const line = lines[row] ?? "";
      put(line.slice(0, column).padEnd(column) + character + line.slice(column + 1));
      column += 1;
    }
  }
  while (lines.at(-1) === "") lines = lines.slice(0, -1);
  return lines;
}

/** Returns each frame of a redrawn line as text. */
export function picturesIn(text: string): readonly string[] {
  return text
    .split("\u001B[?2026h")
    .slice(1)
    .map((picture) =>
      commandsIn(picture.split("\u001B[?2026l")[0] ?? "")
        .map(({ after }) => after)
        .join(""),
    );
}

/** Returns the terminal commands without their escape character, each with the text after it. */
function commandsIn(text: string): readonly { readonly command: string; readonly after: string }[] {
  const [first = "", ...rest] = text.split("\u001B");
  const commands = rest.map((part) => {
    const command = /^\[[?\d]*[A-Za-z]/u.exec(part)?.[0] ?? part;
    return { command, after: part.slice(command.length) };
  });
  return [{ command: "", after: first }, ...commands];
}
