import { didYouMean, nearest } from "../base/text/nearest.ts";

/** Other names by slug. */
const otherNames = {
  ethereum: "eth mainnet",
  solana: "sol",
  fantom: "ftm",
  bsc: "bnb binance binance-smart-chain",
  polygon: "matic pol",
  arbitrum: "arb arbitrum_one",
  optimism: "op",
  avalanche: "avax avalanche-c",
  mantle: "mnt",
  flow_evm: "flow",
  unichain: "uni",
  ronin: "ron",
  cronos: "cro",
  aptos: "apt",
  zksync: "zksync_era zk",
  tron: "trx",
  bob_network: "bob",
  berachain: "bera",
  base: "coinbase",
  hyperevm: "hyperliquid",
  x_layer: "xlayer",
};

/** Maps the names that people type to slugs. Aliases are only suggested, never sent. */
export const networkAliases: ReadonlyMap<string, string> = new Map(
  Object.entries(otherNames).flatMap(([slug, names]) => names.split(" ").map((name) => [name, slug])),
);

/** Networks that hints can use without a request. Only the service knows the complete list. */
export const wellKnownNetworks: ReadonlySet<string> = new Set([
  ...Object.keys(otherNames),
  ..."aptos arc blast botanix celo katana linea megaeth monad plasma robinhood scroll sei sonic sui tempo ton".split(
    " ",
  ),
]);

/** The slug that the user most likely meant, such as `ethereum` for `eth`. */
export function nearestNetwork(typed: string, known: ReadonlySet<string>): string | undefined {
  const alias = networkAliases.get(typed.toLowerCase());
  return alias !== undefined && known.has(alias) ? alias : nearest(typed, known);
}

/** Does not send a request. `otherwise` is the hint if no network is similar. */
export function hintAtNetworks<Otherwise extends string | undefined>(
  networks: readonly string[],
  otherwise: Otherwise,
): string | Otherwise {
  const unknown = networks.find((each) => !wellKnownNetworks.has(each));
  return didYouMean(unknown && nearestNetwork(unknown, wellKnownNetworks), otherwise);
}

/** What an address stands for. */
export type AddressOf = "token" | "pool";

const base58 = {
  text: "32 to 44 base58 characters",
  pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/u,
};

/** Networks on which every address has a known form. On all other networks, only the service knows the forms. */
const forms: readonly ({ readonly networks: string } & Readonly<Record<AddressOf, typeof base58>>)[] = [
  {
    networks: "arbitrum avalanche base blast bsc ethereum fantom linea optimism polygon scroll unichain",
    token: { text: "0x followed by 40 hexadecimal digits", pattern: /^0x[\da-f]{40}$/iu },
    // The ID of a Uniswap V4 pool has 64 digits.
    pool: {
      text: "0x followed by 40 or 64 hexadecimal digits",
      pattern: /^0x(?:[\da-f]{40}|[\da-f]{64})$/iu,
    },
  },
  { networks: "solana", token: base58, pool: base58 },
];

const formsByNetwork = new Map(
  forms.flatMap((form) => form.networks.split(" ").map((network) => [network, form] as const)),
);

/** Some networks have addresses with a slash, such as `ibc/…`, but with a part that is longer than any symbol. */
const pairOfSymbols = /^[\w.]{1,20}\/[\w.]{1,20}$/u;

/** Why no service can know an address, so a request for it would be wasted. */
interface AddressFault {
  readonly problem: string;
  readonly next: string;
}

/**
 * Why a `0x…` word or a pair of symbols is not an address; undefined if the service might know it. For addresses from
 * anywhere: rows of the service may have IDs in forms that are not listed here, so only words of this kind are judged.
 */
export function damageFault(network: string, address: string, of: AddressOf): AddressFault | undefined {
  return /^0x\w*$/iu.test(address) || pairOfSymbols.test(address)
    ? addressFault(network, address, of)
    : undefined;
}

/** Stricter, for addresses that a person typed: a symbol is rejected too. */
export function addressFault(network: string, address: string, of: AddressOf): AddressFault | undefined {
  if (pairOfSymbols.test(address)) {
    const [one, other] = address.split("/");
    const pools = `dexdata pools search ${network || "<network>"} --token ${one} --token ${other}`;
    const next = `find the ${of}: ${of === "pool" ? pools : `dexdata search ${one}`}`;
    return { problem: "a pair of symbols is not an address", next };
  }
  const known = formsByNetwork.get(network);
  if (known === undefined || known[of].pattern.test(address)) return undefined;
  const problem = `a ${of} address on ${network} is ${known[of].text}`;
  if (known.pool.pattern.test(address))
    return { problem, next: `it looks like the ID of a pool: dexdata pool ${network} ${address}` };
  const isName = /^(?!0x)\w[\w.]*$/iu.test(address) && address.length <= longestName;
  if (isName) return { problem, next: `find it: dexdata search ${address}` };
  return { problem, next: "copy the complete address, or find it by name: dexdata search <name>" };
}

/** Longer words are damaged addresses. */
const longestName = 30;

/** Words that the API uses where an identifier could appear. */
export const isFixedWord = (word: string): boolean => ["search", "filter", "top"].includes(word);

const longestAssetName = 40;

/**
 * Whether a word has the form of a name. Hexadecimal numbers, numbers with dots and long words without punctuation are
 * addresses on some network, and `0x61..d5` is a shortened one, so none of them is a name.
 */
export function isAssetName(word: string): boolean {
  if (!/^[\da-z](?:[\w-]|\.(?!\.))*$/iu.test(word) || word.length > longestAssetName) return false;
  return /[a-z]/iu.test(word) && !/^(?:0x[\da-f]*|[\da-z]{26,})$/iu.test(word) && !isFixedWord(word);
}

/**
 * Whether a word can only be a name. `network` precedes it, if there is one. If the form of its addresses is unknown, a
 * word with a dot may be one of them; any other address that looks like a name can be written as `network:address`.
 */
export function isNameOn(network: string | undefined, word: string, of: AddressOf): boolean {
  if (!isAssetName(word) || network === undefined) return isAssetName(word);
  // A network ID has the form of a name. Anything else in its place is rejected later.
  return (isAssetName(network) && !word.includes(".")) || addressFault(network, word, of) !== undefined;
}

export const nameForm =
  `a name has up to ${longestAssetName} letters, digits, "-", "_" and ".", starts with a letter or digit, and has a ` +
  "letter; addresses and the words search, filter, top and help are not names";
