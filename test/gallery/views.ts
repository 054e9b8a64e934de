/** The terminal, pipe or environment in which a command is shown. */
export interface View {
  /** The heading of the screen. */
  readonly title: string;
  /** Of the terminal; undefined means a pipe. */
  readonly columns: number | undefined;
  /** Whether a second copy with colors follows. */
  readonly isColored: boolean;
  /** Flags added to the command. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Differences {
  readonly isColored?: boolean;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export function inWindow(columns: number, differences: Differences = {}): View {
  const { isColored = false, flags = [], env = {} } = differences;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return {
    title: [`${columns} columns`, flags.join(" "), ...variables].filter((part) => part !== "").join(", "),
    columns,
    isColored,
    flags,
    env,
  };
}

/** Output to a program or a file. */
export function inPipe(format: string): View {
  const flags = ["-o", format];
  return { title: `in a pipe, ${flags.join(" ")}`, columns: undefined, isColored: false, flags, env: {} };
}

/** The terminals in which every screen is checked, plain and with color. */
export const windows: readonly View[] = [40, 60, 80, 120, 200].map((columns) =>
  inWindow(columns, { isColored: true }),
);
