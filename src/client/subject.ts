import type { Args } from "../api/endpoint.ts";

/** An asset that a request or a stream is about. */
export interface Subject {
  readonly network: string;
  readonly address: string;
  /** A symbol or name from the user's list, for people. */
  readonly label?: string | undefined;
  /** The line of a list that may have its own time, such as `stdin line 3`; undefined for a row of the service. */
  readonly where?: string;
}

/**
 * Equal for all spellings of an EVM address, whose case is ignored (responses use lowercase). All other addresses (base58,
 * `0x…::module::Coin`) must match exactly.
 */
export function addressKey(address: string): string {
  return /^0x[\da-f]+$/iu.test(address) ? address.toLowerCase() : address;
}

/**
 * Equal for all spellings of an address. Also ignores zeros in front of hexadecimal digits, which Sui and Aptos leave out
 * (`0x0002::sui::SUI`). Unlike `addressKey`, the result is not an address to request.
 */
export function comparableAddress(address: string): string {
  return address.replace(/^0x0*([\da-f]*)/iu, (_, digits: string) => `0x${digits.toLowerCase()}`);
}

/** Equal for all spellings of an asset. Compare keys, but do not print or request them. */
export function subjectKey({ network, address }: Pick<Subject, "network" | "address">): string {
  return `${network}:${comparableAddress(address)}`;
}

/** Equal for requests that the service answers alike. */
export function keyOfArgs(args: Args): string {
  return JSON.stringify(Array.from(args, ([name, value]) => [name, comparableAddress(value)]));
}

/** The first spelling of each asset, in the given order. */
export function distinctSubjects(subjects: readonly Subject[]): readonly Subject[] {
  const first = new Map<string, Subject>();
  for (const subject of subjects) {
    const key = subjectKey(subject);
    if (!first.has(key)) first.set(key, subject);
  }
  return [...first.values()];
}

/** The width of a shortened address. */
export const shortWidth = 11;

/** Keeps the start and the end, by which people recognize an address: `0x88e6…5640`. */
export function shortAddress(address: string, mark = "…"): string {
  if (address.length <= shortWidth + mark.length) return address;
  return `${address.slice(0, shortWidth - 4 - mark.length)}${mark}${address.slice(-4)}`;
}

export function nameOf({ network, address }: Subject): string {
  return `${network}:${address}`;
}

/** For messages: `WETH (ethereum:0xc02a…6cc2)`, or the complete name if there is no label. */
export function titleOf(subject: Subject): string {
  const { network, address, label } = subject;
  return label === undefined ? nameOf(subject) : `${label} (${network}:${shortAddress(address)})`;
}

/** For `--events`. `labels` has the order of `names`, with null for an asset without a label. */
export function namesAndLabels(subjects: readonly Subject[]) {
  const hasLabels = subjects.some(({ label }) => label !== undefined);
  return {
    assets: subjects.length,
    names: subjects.map(nameOf),
    ...(hasLabels && { labels: subjects.map(({ label = null }) => label) }),
  };
}
