import { escapeJsonText } from "../../json/json-text.ts";
import type { Output } from "../../context/context.ts";

/** Escapes make a text up to six times as long: a long one goes out in pieces, so that it never stands in memory thrice. */
const longestPiece = 1024 * 1024;

/** JSON text of the service, with every character that could act on a terminal escaped. */
export async function writeJson(output: Output, text: string): Promise<void> {
  let at = 0;
  do {
    const end = pieceEnd(text, at + longestPiece);
    await output.write(escapeJsonText(text.slice(at, end)));
    at = end;
  } while (at < text.length);
}

/** Not between the halves of a character beyond U+FFFF, which would be taken for lone ones. */
function pieceEnd(text: string, end: number): number {
  return end < text.length && (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}
