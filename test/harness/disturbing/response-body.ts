import { rawElements, rawMembers } from "../../../src/base/json/json-scan.ts";

/** A successful response of any endpoint, cut into its rows and the rest. All texts are exactly as the service sent them. */
export interface ResponseBody {
  readonly rows: readonly string[];
  /** The member that contains the rows; undefined for a plain array and for a single record. */
  readonly rowsIn: string | undefined;
  /** Undefined for a plain array. A single record has only members. */
  readonly members: ReadonlyMap<string, string> | undefined;
}

/** Text, except for the four numbers of `page_info`. Undefined removes a member. */
export type PageInfo = Readonly<Record<string, string | number | boolean | undefined>>;

/** The groups of the global search are lists as well; a disturbance changes the longest. */
const listNames = ["transactions", "results", "dexes", "tokens", "pools"];

/** Returns undefined for a body that is not a JSON array or object. */
export function readBody(text: string): ResponseBody | undefined {
  if (text.startsWith("[")) return { rows: rawElements(text), rowsIn: undefined, members: undefined };
  if (!text.startsWith("{")) return undefined;
  const members = rawMembers(text);
  const isRecord = members.has("id");
  const lists = isRecord ? [] : listNames.filter((name) => members.get(name)?.startsWith("[") === true);
  const [rowsIn] = lists.toSorted((a, b) => (members.get(b)?.length ?? 0) - (members.get(a)?.length ?? 0));
  const rows = rowsIn === undefined ? [] : rawElements(members.get(rowsIn) ?? "[]");
  return { rows, rowsIn, members };
}

export function writeBody({ rows, rowsIn, members }: ResponseBody): string {
  const array = `[${rows.join(",")}]`;
  if (members === undefined) return array;
  const texts = [...members].map(
    ([name, text]) => `${JSON.stringify(name)}:${name === rowsIn ? array : text}`,
  );
  return `{${texts.join(",")}}`;
}

export function withMembers(
  body: ResponseBody,
  changes: Readonly<Record<string, string | undefined>>,
): ResponseBody {
  const members = new Map(body.members);
  for (const [name, text] of Object.entries(changes)) {
    if (text === undefined) members.delete(name);
    else members.set(name, text);
  }
  return { ...body, members };
}

/** Returns undefined if the response has no `page_info`. */
export function pageInfoOf({ members }: ResponseBody): PageInfo | undefined {
  const text = members?.get("page_info");
  return text === undefined ? undefined : JSON.parse(text);
}

export function withPageInfo(body: ResponseBody, changes: PageInfo): ResponseBody {
  return withMembers(body, { page_info: JSON.stringify({ ...pageInfoOf(body), ...changes }) });
}
