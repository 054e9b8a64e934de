import { parseJson } from "./json/json-scan.ts";
import { checkKeyForm } from "./key.ts";

/**
 * Spaces separate words, and '…' and "…" group them. A JSON array of strings is used as is. Shell syntax is rejected,
 * and nothing is expanded, so a file or entry name can never be interpreted as a command.
 */
export function splitCommand(text: string): Words {
  const words = text.trimStart().startsWith("[") ? readArray(text) : readWords(text);
  if ("problem" in words) return words;
  const [program = ""] = words;
  if (program === "") return { problem: "must name a program" };
  if (program.startsWith("~"))
    return { problem: "must contain the full path of the program; ~ is not expanded" };
  if (words.some((word) => checkKeyForm(word) === undefined))
    return { problem: "must not contain a key", next: "store the key: dexdata auth login" };
  return words;
}

type Words = readonly string[] | { readonly problem: string; readonly next?: string };

function readArray(text: string): Words {
  const problem = 'must be a JSON array of strings, e.g. ["pass","show","dexdata"]';
  const parsed = parseJson(text);
  if (!Array.isArray(parsed)) return { problem };
  const words = parsed.filter((word): word is string => typeof word === "string" && !word.includes("\0"));
  return words.length === parsed.length ? words : { problem };
}

const pieces = /\s+|'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<plain>[^\s'"]+)|(?<open>['"])/gu;

function readWords(text: string): Words {
  const plain = [...text.matchAll(pieces)].map(({ groups }) => groups?.["plain"] ?? "").join("");
  const shellOnly =
    /[|&;<>()$`\\*?#]/u.exec(plain)?.[0] ?? (/[\0\r\n]/u.test(text) ? "a line break" : undefined);
  if (shellOnly === undefined) return splitWords(text);
  const problem = `must not contain ${shellOnly}, because it runs without a shell`;
  return { problem, next: `put it in quotes, or run it in a shell: sh -c '…'` };
}

/** Spaces separate words, and '…' and "…" group them. */
export function splitWords(text: string): Words {
  const words: string[] = [];
  let word: string | undefined;
  for (const { groups = {} } of text.matchAll(pieces)) {
    const { single, double, plain, open } = groups;
    if (open !== undefined) return { problem: `contains an unclosed ${open}` };
    const piece = single ?? double ?? plain;
    if (piece !== undefined) word = (word ?? "") + piece;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
