import { createPage } from "../../src/client/page.ts";
import { type EndpointId, endpoints } from "../../src/api/endpoints/all.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { createRenderer } from "../../src/cli/render/formats/formats.ts";
import type { RowFormat } from "../../src/api/output-format.ts";
import { createTestOutput } from "../harness/test-output.ts";

export interface RenderOptions {
  readonly endpoint?: EndpointId;
  readonly format?: RowFormat;
  /** Columns of the terminal; undefined means a pipe. */
  readonly columns?: number | undefined;
  readonly isTerminal?: boolean;
  readonly groups?: readonly string[];
  readonly isRecord?: boolean;
  readonly fields?: readonly string[];
  readonly hasHeader?: boolean;
  /** Whether rows of the same output were written before. */
  readonly isContinued?: boolean;
  readonly isColored?: boolean;
  readonly isUnicode?: boolean;
  /** Whether the pull reached its end. */
  readonly isWhole?: boolean;
}

/** One page of a group: the text of the array in the response. */
export type PageText = string | readonly [group: string, text: string];

export const now = Date.parse("2026-11-21T08:54:00Z");

/** As a pipe or a terminal shows the rows of a list by default. */
export const plain = {
  isRecord: false,
  isWhole: false,
  isContinued: false,
  fields: undefined,
  prefix: undefined,
  lead: undefined,
  parquet: undefined,
  hasHeader: true,
  columns: undefined,
  queried: [],
  isWide: false,
  hasAllFields: false,
  isColored: false,
  isUnicode: true,
  hasAges: true,
  chart: undefined,
  isSvg: false,
  hasSparks: false,
  findAsset: undefined,
  now,
  before: undefined,
  isOn: undefined,
};

/** The text written to stdout, one entry per write. */
export async function renderWrites(
  pages: readonly PageText[],
  options: RenderOptions = {},
): Promise<string[]> {
  const { columns, groups = ["rows"], fields, isWhole = true } = options;
  const isTerminal = options.isTerminal ?? columns !== undefined;
  const output = createTestOutput({ isTerminal, columns, onClosed: () => {} });
  const renderer = await createRenderer({
    output,
    format: options.format ?? "table",
    endpoint: endpointOf(options.endpoint ?? "networks"),
    groups,
    ...plain,
    isRecord: options.isRecord ?? false,
    isContinued: options.isContinued ?? false,
    fields,
    hasHeader: options.hasHeader ?? true,
    isColored: options.isColored ?? false,
    isUnicode: options.isUnicode ?? true,
  });
  for (const page of pages) {
    const [group, text] = typeof page === "string" ? ["rows", page] : page;
    await renderer.page({ ...createPage(text, JSON.parse(text), "rows"), group });
  }
  if (isWhole) await renderer.end();
  return output.chunks.map((chunk) => chunk.toString("utf8"));
}

export async function render(pages: readonly PageText[], options: RenderOptions = {}): Promise<string> {
  return (await renderWrites(pages, options)).join("");
}

export function endpointOf(id: EndpointId): Endpoint {
  const endpoint = endpoints.find((each) => each.id === id);
  if (endpoint === undefined) throw new Error(`no endpoint ${id}`);
  return endpoint;
}

/** Characters that promise 2 keeps from a terminal, as code points; line breaks are our own. */
export function forbiddenIn(text: string): readonly number[] {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return codes.filter(
    (code) => (code < 0x20 && code !== 0x0a) || ranges.some(([from, to]) => code >= from && code <= to),
  );
}

const ranges = [
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f],
] as const;
