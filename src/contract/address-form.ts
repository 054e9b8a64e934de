/**
 * Networks with a single address format (a Uniswap V4 pool is 0x and 64 digits). For all others only the service knows
 * the formats, so every address is accepted.
 */
const forms = [
  {
    text: "0x and 40 or 64 hexadecimal digits",
    pattern: /^0x(?:[\da-f]{40}|[\da-f]{64})$/iu,
    networks: "arbitrum avalanche base blast bsc ethereum fantom linea optimism polygon scroll unichain",
  },
  { text: "32 to 44 base58 characters", pattern: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/u, networks: "solana" },
];

/** Explains why a text cannot be an address on a network; undefined if the service may know it. */
export function addressProblem(network: string, address: string): string | undefined {
  const form = forms.find(({ networks }) => networks.split(" ").includes(network));
  if (form !== undefined && !form.pattern.test(address)) return `an address on ${network} is ${form.text}`;
  return /[\s"'\p{Cc}]/u.test(address) ? "an address has no spaces and no quotes" : undefined;
}
