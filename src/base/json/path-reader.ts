import {
  beginsWith,
  createMemberLookup,
  endOfValue,
  OPEN_ARRAY,
  OPEN_OBJECT,
  rawElements,
  skipBlanks,
  walkArray,
  walkObject,
} from "./json-scan.ts";

/** The text of the value at each path, in the same order as the paths; undefined where a path does not exist. */
type PathReader = (text: string) => readonly (string | undefined)[];

export function rawAt(text: string, path: readonly string[]): string | undefined {
  return createPathReader([path])(text)[0];
}

/**
 * Prepares paths for use on many texts, each of which is scanned only once. A step is a member name or, in an array, an
 * index from 0 or `*` for all elements. The result of `*` is the text of an array, with null where a value is missing.
 */
export function createPathReader(paths: readonly (readonly string[])[]): PathReader {
  const root = createNode(paths.map((path, index) => ({ path, index })));
  return (text) => {
    const found = paths.map((): string | undefined => undefined);
    readNode(root, text, skipBlanks(text, 0), found);
    return found;
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
  /** The paths that end at this node or continue with `*`, whose rest `read` applies to each element. */
  readonly ends: readonly { readonly index: number; readonly read?: PathReader }[];
  readonly children: ReadonlyMap<string, Node>;
  readonly childOf: ReturnType<typeof createMemberLookup<Node | undefined>>;
}

function createNode(paths: readonly NumberedPath[]): Node {
  const through = new Map<string, NumberedPath[]>();
  const ends: Node["ends"][number][] = [];
  for (const { path, index } of paths) {
    const [step, ...rest] = path;
    if (step === undefined) ends.push({ index });
    else if (step === "*") ends.push({ index, read: createPathReader([rest]) });
    else through.set(step, [...(through.get(step) ?? []), { path: rest, index }]);
  }
  const children = new Map([...through].map(([step, inner]) => [step, createNode(inner)]));
  const childOf = createMemberLookup((name) => children.get(name));
  return { indices: paths.map(({ index }) => index), ends, children, childOf };
}

/** Returns the index after the value. */
function readNode(node: Node, text: string, start: number, found: (string | undefined)[]): number {
  const end = node.children.size === 0 ? endOfValue(text, start) : readInside(node, text, start, found);
  for (const { index, read } of node.ends) {
    const value = text.slice(start, end);
    found[index] = read === undefined ? value : readElements(value, read);
  }
  return end;
}

function readElements(text: string, read: PathReader): string | undefined {
  if (!beginsWith(text, OPEN_ARRAY)) return undefined;
  return `[${rawElements(text)
    .map((element) => read(element)[0] ?? "null")
    .join(",")}]`;
}

function readInside(node: Node, text: string, start: number, found: (string | undefined)[]): number {
  const first = text.charCodeAt(start);
  let place = 0;
  if (first === OPEN_OBJECT)
    return walkObject(text, start, (keyStart, keyEnd, at) =>
      readChild(node.childOf(text, keyStart, keyEnd, place++), text, at, found),
    );
  if (first === OPEN_ARRAY)
    return walkArray(text, start, (at) => readChild(node.children.get(String(place++)), text, at, found));
  return endOfValue(text, start);
}

function readChild(child: Node | undefined, text: string, at: number, found: (string | undefined)[]): number {
  if (child === undefined) return endOfValue(text, at);
  // If a name is repeated in an object, the last member counts, even if it has no value for the path.
  for (const index of child.indices) found[index] = undefined;
  return readNode(child, text, at, found);
}
