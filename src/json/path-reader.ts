import { createAlikeText, type WalkedText } from "./alike-text.ts";
import { endOfValue, OPEN_ARRAY, OPEN_OBJECT, skipBlanks, walkArray, walkObject } from "./json-scan.ts";
import { decodeName, rawAt } from "./raw-json.ts";

/** Texts of the values that the paths lead to, each at its path's place; undefined where one leads nowhere. */
export type PathReader = (text: string) => readonly (string | undefined)[];

/**
 * `rawAt` for many paths at once, prepared for many texts: each is walked once, whatever the paths, and one that is
 * written like the last that was walked not even that.
 */
export function createPathReader(paths: readonly (readonly string[])[]): PathReader {
  const root = createNode(paths.map((path, index) => ({ path, index })));
  /** What is left of each path where it goes on in all elements. */
  const rests = paths.map((path) => (path.includes("*") ? path.slice(path.indexOf("*")) : undefined));
  const nowhere = paths.flatMap(() => [-1, -1]);
  const alike = createAlikeText();

  const walk = (text: string): readonly number[] => {
    const spans = [...nowhere];
    const isLearned = alike.isOpen(text);
    const walked: Walked = { spans, values: [], isEntered: [], isLearned };
    readNode(root, text, skipBlanks(text, 0), walked);
    if (isLearned) alike.learn(text, walked);
    return spans;
  };

  return (text) => {
    const spans = alike.spansIn(text) ?? walk(text);
    return rests.map((rest, index) => {
      const start = spans[2 * index] ?? -1;
      if (start < 0) return undefined;
      const value = text.slice(start, spans[2 * index + 1]);
      return rest === undefined ? value : rawAt(value, rest);
    });
  };
}

interface Walked extends WalkedText {
  readonly isLearned: boolean;
}

interface NumberedPath {
  readonly path: readonly string[];
  readonly index: number;
}

/** Where paths have come so far. */
interface Node {
  /** Places of all paths that lead through here. */
  readonly indices: readonly number[];
  /** Of those that end here, or go on in all elements. */
  readonly ends: readonly number[];
  readonly children: ReadonlyMap<string, Node>;
  /** Rows of a list have the same names in the same order: what the n-th was in the row before. */
  readonly members: { key: string; child: Node | undefined }[];
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

/** The index after the value at `start`. */
function readNode(node: Node, text: string, start: number, walked: Walked): number {
  const end = readInside(node, text, start, walked);
  for (const index of node.ends) setSpan(walked, index, start, end);
  return end;
}

function setSpan({ spans }: WalkedText, index: number, start: number, end: number): void {
  spans[2 * index] = start;
  spans[2 * index + 1] = end;
}

function readInside(node: Node, text: string, start: number, walked: Walked): number {
  const first = node.children.size === 0 ? undefined : text.charCodeAt(start);
  if (first === OPEN_OBJECT) {
    let place = 0;
    return walkObject(text, start, (keyStart, keyEnd, at) =>
      readChild(childOf(node, place++, text, keyStart, keyEnd), text, at, walked),
    );
  }
  if (first === OPEN_ARRAY) {
    let place = 0;
    return walkArray(text, start, (at) => readChild(node.children.get(String(place++)), text, at, walked));
  }
  return stepOver(text, start, node.children.size > 0, walked);
}

function stepOver(text: string, start: number, isEntered: boolean, walked: Walked): number {
  const end = endOfValue(text, start);
  if (!walked.isLearned) return end;
  walked.values.push(start, end);
  walked.isEntered.push(isEntered ? 1 : 0);
  return end;
}

function readChild(child: Node | undefined, text: string, at: number, walked: Walked): number {
  if (child === undefined) return stepOver(text, at, false, walked);
  // Of members with the same name the last counts, also where it leads nowhere.
  for (const index of child.indices) setSpan(walked, index, -1, -1);
  return readNode(child, text, at, walked);
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
