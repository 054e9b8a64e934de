import { endOfString, endOfValue } from "./json-scan.ts";

const QUOTE = 34;
const MINUS = 45;
const DIGIT_0 = 48;
const DIGIT_9 = 57;

/**
 * `JSON.parse`, but every number arrives as a string of the very digits that were written. Throws a SyntaxError where
 * `JSON.parse` does.
 */
export function parseNumbersAsText(text: string): unknown {
  // Quoting would make `01` or a number in place of a name pass for JSON.
  JSON.parse(text);
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) {
      const end = endOfValue(text, at);
      pieces.push(text.slice(kept, at), '"', text.slice(at, end), '"');
      kept = end;
      at = end - 1;
    }
  }
  return JSON.parse(pieces.join("") + text.slice(kept));
}
