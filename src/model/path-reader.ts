import { beginsWith, eachElement, eachMember, OPEN_ARRAY, OPEN_OBJECT } from "./json-scan.ts";
import { decodeName, rawAt } from "./raw-json.ts";

/** Texts of the values that the paths lead to, each at its path's place; undefined where one leads nowhere. */
export type PathReader = (text: string) => readonly (string | undefined)[];

/**
 * `rawAt` for many paths at once, prepared for many texts: a row is walked once, and only the values that a path
 * leads through are walked again.
 */
export function createPathReader(paths: readonly (readonly string[])[]): PathReader {
  const root = createNode(paths.map((path, index) => ({ path, index })));
  return (text) => {
    const found = paths.map((): string | undefined => undefined);
    root.read(text.trim(), found);
    return found;
  };
}

interface Node {
  /** Of every path that leads through here. */
  readonly indices: readonly number[];
  readonly read: (text: string, found: (string | undefined)[]) => void;
}

interface NumberedPath {
  readonly path: readonly string[];
  readonly index: number;
}

function createNode(paths: readonly NumberedPath[]): Node {
  const indices = paths.map(({ index }) => index);
  const ends = paths.filter(({ path }) => path.length === 0);
  const spread = paths.filter(({ path }) => path[0] === "*");
  const steps = new Set(
    paths.map(({ path }) => path[0]).filter((step) => step !== undefined && step !== "*"),
  );
  const children = new Map<string, Node>();
  for (const step of steps) {
    const through = paths.filter(({ path }) => path[0] === step);
    children.set(step ?? "", createNode(through.map(({ path, index }) => ({ path: path.slice(1), index }))));
  }
  const visit = (
    name: string,
    text: string,
    start: number,
    end: number,
    found: (string | undefined)[],
  ): void => {
    const child = children.get(name);
    if (child === undefined) return;
    // Of members with the same name the last counts, also where it leads nowhere.
    for (const index of child.indices) found[index] = undefined;
    child.read(text.slice(start, end), found);
  };
  const read: Node["read"] = (text, found) => {
    for (const { index } of ends) found[index] = text;
    for (const { path, index } of spread) found[index] = rawAt(text, path);
    if (children.size === 0) return;
    if (beginsWith(text, OPEN_OBJECT)) {
      eachMember(text, (keyStart, keyEnd, start, end) => {
        visit(decodeName(text.slice(keyStart, keyEnd)), text, start, end, found);
      });
    } else if (beginsWith(text, OPEN_ARRAY)) {
      let place = 0;
      eachElement(text, (start, end) => {
        visit(String(place++), text, start, end, found);
      });
    }
  };
  return { indices, read };
}
