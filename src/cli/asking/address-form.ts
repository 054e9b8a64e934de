/**
 * Networks whose addresses have one form and no other (a pool of Uniswap V4 is 0x and 64 digits). Of all others only the
 * service knows the forms, so nothing is refused there.
 */
const forms: ReadonlyMap<string, { readonly pattern: RegExp; readonly text: string }> = new Map(
  Object.entries({
    "0x and 40 or 64 hexadecimal digits": {
      pattern: /^0x(?:[\da-f]{40}|[\da-f]{64})$/iu,
      networks: "arbitrum avalanche base blast bsc ethereum fantom linea optimism polygon scroll unichain",
    },
    "32 to 44 base58 characters": { pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/u, networks: "solana" },
  }).flatMap(([text, { pattern, networks }]) =>
    networks.split(" ").map((network) => [network, { pattern, text }] as const),
  ),
);

/** Why a text cannot be an address on a network; undefined where the service may know it. */
export function addressProblem(network: string, address: string): string | undefined {
  const form = forms.get(network);
  if (form !== undefined && !form.pattern.test(address)) return `an address on ${network} is ${form.text}`;
  return /[\s"'\p{Cc}]/u.test(address) ? "an address has no spaces and no quotes" : undefined;
}
