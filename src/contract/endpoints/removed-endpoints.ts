/** A path that answers 410 for good, and the one that took its place. */
export interface RemovedEndpoint {
  readonly path: string;
  readonly replacement: string;
  /** Words of the old path that became parameters: the old name, and the new. */
  readonly carried: Readonly<Record<string, string>>;
}

const removed = (
  path: string,
  replacement: string,
  carried: Readonly<Record<string, string>> = {},
): RemovedEndpoint => ({
  path,
  replacement,
  carried,
});

/** Specification, Removed endpoints; those of the streaming host stand apart. */
export const removedEndpoints: readonly RemovedEndpoint[] = [
  removed("/pools", "/pools/search"),
  removed("/networks/{network}/pools", "/networks/{network}/pools/search"),
  removed("/networks/{network}/pools/filter", "/networks/{network}/pools/search"),
  removed("/networks/{network}/dexes/{dex}/pools", "/networks/{network}/pools/search", { dex: "dex_name" }),
  removed("/networks/{network}/tokens/{token_address}/pools", "/networks/{network}/pools/search", {
    token_address: "token_address",
  }),
  removed("/networks/{network}/tokens/filter", "/networks/{network}/tokens/search"),
  removed("/networks/{network}/tokens/top", "/networks/{network}/tokens/search"),
];

/** GET and POST, on both streaming hosts; the method of an asset says which feed it belongs to now. */
export const removedStream = "/stream";
