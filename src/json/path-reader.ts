import {
  beginsWith,
  endOfString,
  endOfValue,
  OPEN_ARRAY,
  OPEN_OBJECT,
  skipBlanks,
  walkArray,
  walkObject,
} from "./json-scan.ts";
import { decodeName, rawElements } from "./raw-json.ts";

/** The text of the value at each path, in the same order as the paths; undefined where a path does not exist. */
export type PathReader = (text: string) => readonly (string | undefined)[];

export function rawAt(text: string, path: readonly string[]): string | undefined {
  return createPathReader([path])(text)[0];
}

/**
 * Prepares paths for use on many texts, each of which is scanned only once. A step is a member name or, in an array, an
 * index from 0 or `*` for all elements. The result of `*` is the text of an array, with null where a value is missing.
 */
export function createPathReader(paths: readonly (readonly string[])[]): PathReader {
  const root = createNode(paths.map((path, index) => ({ path, index })));
  const rests = paths.map(createRestReader);
  const nowhere = paths.flatMap(() => [-1, -1]);
  return (text) => {
    const spans = [...nowhere];
    readNode(root, text, skipBlanks(text, 0), spans);
    const texts: (string | undefined)[] = [];
    for (let index = 0; index < rests.length; index += 1) {
      const start = spans[2 * index] ?? -1;
      const value = start < 0 ? undefined : text.slice(start, spans[2 * index + 1]);
      const rest = rests[index];
      texts.push(value === undefined || rest === undefined ? value : rest(value));
    }
    return texts;
  };
}

function createRestReader(path: readonly string[]): ((text: string) => string | undefined) | undefined {
  const star = path.indexOf("*");
  if (star < 0) return undefined;
  const read = createPathReader([path.slice(star + 1)]);
  return (text) => {
    if (!beginsWith(text, OPEN_ARRAY)) return undefined;
    return `[${rawElements(text)
      .map((element) => read(element)[0] ?? "null")
      .join(",")}]`;
  };
}

interface NumberedPath {
  readonly path: readonly string[];
  readonly index: number;
}

/** Paths with a common beginning share nodes. */
interface Node {
  /** All paths that pass through this node. */
  readonly indices: readonly number[];
  /** The paths that end at this node or continue with `*`. */
  readonly ends: readonly number[];
  readonly children: ReadonlyMap<string, Node>;
  /** The previous row's members by position, because most rows have the same names in the same order. */
  readonly members: Member[];
}

interface Member {
  /** Includes the quotes. */
  readonly key: string;
  readonly child: Node | undefined;
}

function createNode(paths: readonly NumberedPath[]): Node {
  const through = new Map<string, NumberedPath[]>();
  const ends: number[] = [];
  for (const { path, index } of paths) {
    const [step, ...rest] = path;
    if (step === undefined || step === "*") ends.push(index);
    else through.set(step, [...(through.get(step) ?? []), { path: rest, index }]);
  }
  const children = new Map([...through].map(([step, inner]) => [step, createNode(inner)]));
  return { indices: paths.map(({ index }) => index), ends, children, members: [] };
}

/** Returns the index after the value. `spans` has the start and end for each path, or -1 if there is no value. */
function readNode(node: Node, text: string, start: number, spans: number[]): number {
  const end = node.children.size === 0 ? endOfValue(text, start) : readInside(node, text, start, spans);
  for (const index of node.ends) setSpan(spans, index, start, end);
  return end;
}

function setSpan(spans: number[], index: number, start: number, end: number): void {
  spans[2 * index] = start;
  spans[2 * index + 1] = end;
}

function readInside(node: Node, text: string, start: number, spans: number[]): number {
  const first = text.charCodeAt(start);
  if (first === OPEN_OBJECT) {
    let place = 0;
    let child: Node | undefined;
    return walkObject(
      text,
      start,
      (_keyStart, _keyEnd, at) => readChild(child, text, at, spans),
      (_text, at) => {
        const member = memberAt(node, place++, text, at);
        child = member.child;
        return at + member.key.length;
      },
    );
  }
  if (first === OPEN_ARRAY) {
    let place = 0;
    return walkArray(text, start, (at) => readChild(node.children.get(String(place++)), text, at, spans));
  }
  return endOfValue(text, start);
}

function readChild(child: Node | undefined, text: string, at: number, spans: number[]): number {
  if (child === undefined) return endOfValue(text, at);
  // If a name is repeated in an object, the last member counts, even if it has no value for the path.
  if (child.children.size > 0) for (const index of child.indices) setSpan(spans, index, -1, -1);
  return readNode(child, text, at, spans);
}

function memberAt(node: Node, place: number, text: string, at: number): Member {
  const before = node.members[place];
  if (before !== undefined && text.startsWith(before.key, at)) return before;
  const key = text.slice(at, endOfString(text, at));
  const member = { key, child: node.children.get(decodeName(key)) };
  // Only the first few are cached, because a hostile object may have millions of members.
  if (place < MOST_REMEMBERED) node.members[place] = member;
  return member;
}

const MOST_REMEMBERED = 100;
