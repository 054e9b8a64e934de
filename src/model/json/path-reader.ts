import { endOfValue, OPEN_ARRAY, OPEN_OBJECT, skipBlanks, walkArray, walkObject } from "./json-scan.ts";
import { decodeName, rawAt } from "./raw-json.ts";

/** Texts of the values that the paths lead to, each at its path's place; undefined where one leads nowhere. */
export type PathReader = (text: string) => readonly (string | undefined)[];

/** `rawAt` for many paths at once, prepared for many texts: each is walked once, whatever the paths. */
export function createPathReader(paths: readonly (readonly string[])[]): PathReader {
  const root = createNode(paths.map((path, index) => ({ path, index })));
  const nothing = paths.map((): string | undefined => undefined);
  return (text) => {
    const found = [...nothing];
    readNode(root, text, skipBlanks(text, 0), found);
    return found;
  };
}

interface NumberedPath {
  readonly path: readonly string[];
  readonly index: number;
}

/** Where paths have come so far. */
interface Node {
  /** Places of all paths that lead through here. */
  readonly indices: readonly number[];
  /** Of those that end here, and of those that go on in all elements. */
  readonly ends: readonly number[];
  readonly spread: readonly NumberedPath[];
  readonly children: ReadonlyMap<string, Node>;
  /** Rows of a list have the same names in the same order: what the n-th was in the row before. */
  readonly members: { key: string; child: Node | undefined }[];
}

function createNode(paths: readonly NumberedPath[]): Node {
  const through = new Map<string, NumberedPath[]>();
  const ends: number[] = [];
  const spread: NumberedPath[] = [];
  for (const { path, index } of paths) {
    const [step, ...rest] = path;
    if (step === undefined) ends.push(index);
    else if (step === "*") spread.push({ path, index });
    else through.set(step, [...(through.get(step) ?? []), { path: rest, index }]);
  }
  const children = new Map([...through].map(([step, inner]) => [step, createNode(inner)]));
  return { indices: paths.map(({ index }) => index), ends, spread, children, members: [] };
}

/** The index after the value at `start`. */
function readNode(node: Node, text: string, start: number, found: (string | undefined)[]): number {
  const end = readInside(node, text, start, found);
  if (node.ends.length > 0 || node.spread.length > 0) {
    const value = text.slice(start, end);
    for (const index of node.ends) found[index] = value;
    for (const { path, index } of node.spread) found[index] = rawAt(value, path);
  }
  return end;
}

function readInside(node: Node, text: string, start: number, found: (string | undefined)[]): number {
  const first = node.children.size === 0 ? undefined : text.charCodeAt(start);
  if (first === OPEN_OBJECT) {
    let place = 0;
    return walkObject(text, start, (keyStart, keyEnd, at) =>
      readChild(childOf(node, place++, text, keyStart, keyEnd), text, at, found),
    );
  }
  if (first === OPEN_ARRAY) {
    let place = 0;
    return walkArray(text, start, (at) => readChild(node.children.get(String(place++)), text, at, found));
  }
  return endOfValue(text, start);
}

function readChild(child: Node | undefined, text: string, at: number, found: (string | undefined)[]): number {
  if (child === undefined) return endOfValue(text, at);
  // Of members with the same name the last counts, also where it leads nowhere.
  for (const index of child.indices) found[index] = undefined;
  return readNode(child, text, at, found);
}

function childOf(
  node: Node,
  place: number,
  text: string,
  keyStart: number,
  keyEnd: number,
): Node | undefined {
  const before = node.members[place];
  if (
    before !== undefined &&
    before.key.length === keyEnd - keyStart &&
    text.startsWith(before.key, keyStart)
  )
    return before.child;
  const key = text.slice(keyStart, keyEnd);
  const child = node.children.get(decodeName(key));
  // A hostile object may have millions of members.
  if (place < MOST_REMEMBERED) node.members[place] = { key, child };
  return child;
}

const MOST_REMEMBERED = 100;
