import type { Subject } from "../../client/batches.ts";
import { isObject, member } from "../../model/json/own-member.ts";
import { usageFailure } from "../../model/failure.ts";

/**
 * What a command asks for, from its words: `<network> <address…>`, `network:address …`, or `-` for one a line on
 * stdin, plain or as JSON objects, so that the NDJSON of one command feeds the next. Networks may be mixed: what names
 * its own network is asked for there, whatever network came first. Where `readFile` is given, `@name` stands for the
 * lines of a file.
 */
export async function readSubjects(
  words: readonly string[],
  read: () => Promise<string>,
  usage: string,
  readFile?: (name: string) => Promise<string>,
): Promise<readonly Subject[]> {
  const [first, ...rest] = words;
  if (first === undefined) throw usageFailure("a network and an address are needed", usage);
  const isFile = (word: string): boolean => readFile !== undefined && word.startsWith("@");
  const isNetwork = first !== "-" && !isFile(first) && splitPair(first) === undefined;
  if (isNetwork && rest.length === 0)
    throw usageFailure(`"${first}": an address is needed after the network`, usage);
  const network = isNetwork ? first : undefined;
  const subjects: Subject[] = [];
  for (const word of isNetwork ? rest : words) {
    const name = word.slice(1);
    if (word === "-") subjects.push(...readLines(await read(), network, "stdin", usage));
    else if (readFile !== undefined && isFile(word))
      subjects.push(...readLines(await readFile(name), network, name, usage));
    else subjects.push(readWord(word, network, usage));
  }
  return subjects;
}

function readWord(word: string, network: string | undefined, usage: string): Subject {
  const pair = splitPair(word);
  if (pair !== undefined) return pair;
  if (network !== undefined) return { network, address: word };
  throw usageFailure(`"${word}": must be network:address, like the words before it`, usage);
}

/** Splits at the first colon; an id such as `0x2::sui::SUI`, or TON's `0:b113…`, names no network. */
function splitPair(word: string): Subject | undefined {
  const match = /^(?!0x|-?\d+:)([\w-]+):(?!:)(.+)$/u.exec(word);
  return match === null ? undefined : { network: match[1] ?? "", address: match[2] ?? "" };
}

function readLines(
  text: string,
  network: string | undefined,
  source: string,
  usage: string,
): readonly Subject[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.flatMap((line, index) =>
    line === "" ? [] : [readLine(line, network, `line ${index + 1} of ${source}`, usage)],
  );
}

function readLine(line: string, network: string | undefined, where: string, usage: string): Subject {
  const said = line.startsWith("{")
    ? readRow(line, where)
    : (splitPair(line) ?? { network: undefined, address: line });
  const onNetwork = said.network ?? network;
  if (onNetwork !== undefined) return { network: onNetwork, address: said.address };
  throw usageFailure(
    `${where}: names no network`,
    `say it before the dash, or write network:address; ${usage}`,
  );
}

/** `address` before `id`; the row's `chain` is its network. */
function readRow(line: string, where: string): { network: string | undefined; address: string } {
  const row = parse(line);
  if (!isObject(row)) throw usageFailure(`${where}: begins like a JSON object but is none`);
  if (Object.hasOwn(row, "log_index")) {
    throw usageFailure(
      `${where}: is a transaction; its id is a hash, not an address`,
      "pick a column first: --fields pool_id",
    );
  }
  const inner = member(row, "row");
  const subject = isObject(inner) && Object.hasOwn(row, "group") ? inner : row;
  const address = member(subject, "address") ?? member(subject, "id");
  const chain = member(subject, "chain");
  if (typeof address !== "string") throw usageFailure(`${where}: has neither address nor id`);
  return { network: typeof chain === "string" ? chain : undefined, address };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
