/** From where a command is looked at. */
export interface View {
  /** Stands above the picture. */
  readonly title: string;
  /** Of the terminal; undefined is a pipe. */
  readonly columns: number | undefined;
  /** Shown a second time with its colours. */
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

/** What a program or a file gets. */
export function inPipe(format: string): View {
  const flags = ["-o", format];
  return { title: `in a pipe, ${flags.join(" ")}`, columns: undefined, isColored: false, flags, env: {} };
}

/** The windows every picture is judged in, plain and with colour. */
export const windows: readonly View[] = [40, 80, 120, 200].map((columns) =>
  inWindow(columns, { isColored: true }),
);
