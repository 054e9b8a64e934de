import { intervalSeconds } from "../../client/candles/candle-slices.ts";
import { showSeconds } from "../../client/candles/candle-times.ts";
import type { Question } from "../../contract/args.ts";

/** Why an answer has no rows, where what was asked tells; undefined where it does not. */
export function whyEmpty({ args, endpoint }: Question): string | undefined {
  const token = args.get("token_address");
  const isRaw = endpoint.rawPath !== undefined;
  if (token !== undefined && isSymbol(token)) {
    const flag = isRaw ? "--field token_address=" : "--token ";
    return `dexdata: ${flag}"${token}" is a symbol, and an address is compared; look it up: dexdata search ${token}`;
  }
  const [start, end] = [Number(args.get("start")), Number(args.get("end"))];
  const interval = args.get("interval");
  if (isRaw || interval === undefined || !(end - start < intervalSeconds(interval))) return undefined;
  return `dexdata: no candle of ${interval} begins between ${showSeconds(start)} and ${showSeconds(end)}; ask for shorter ones with --interval`;
}

/** Addresses are longer, but for those of a few system tokens, which begin with 0x. */
function isSymbol(token: string): boolean {
  return !token.startsWith("0x") && /^[\p{L}\p{N}$.]{1,15}$/u.test(token);
}
