/**
 * What makes two addresses the same: EVM hex matches in any letter case (answers come in lower case), anything
 * else (base58, `0x…::module::Coin`) exactly.
 */
export function addressKey(address: string): string {
  return /^0x[\da-f]+$/iu.test(address) ? address.toLowerCase() : address;
}
