/** A section of a page of help. The parts are printed in this order, with an empty line between sections. */
export interface Block {
  /** Omits the empty line before this section. */
  readonly isClose?: boolean;
  readonly heading?: string;
  /** Printed before the prose, on the same line. */
  readonly label?: string;
  readonly prose?: string;
  readonly rows?: readonly (readonly [term: string, text: string])[];
  /** Commands to copy and paste. Each runs exactly as shown. */
  readonly commands?: readonly string[];
}

/** `-h` prints the brief form, and `--help` the full one. */
export type HelpForm = "brief" | "full";

/** Prepared by the build, so that help can be shown without loading a command. */
export type PreparedPage = Readonly<Record<HelpForm, readonly Block[]>>;

/** In the build directory, such as `help/pools_search.json`. Command words never contain `_`. */
export function preparedFile(words: readonly string[]): string {
  return `help/${words.length === 0 ? "overview" : words.join("_")}.json`;
}
