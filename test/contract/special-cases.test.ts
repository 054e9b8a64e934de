import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, test } from "vitest";
import { rowShape, takesAddress } from "../../src/api/endpoint.ts";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { feedNames, feeds } from "../../src/api/feeds.ts";

// Every special property of an endpoint or a feed is a field of it. If code compared names instead, the
// author of the next endpoint would have to find that code without a failing check.

const ids: ReadonlySet<string> = new Set([...endpoints.map(({ id }) => id), "raw"]);
const names: ReadonlySet<string> = new Set([...ids, ...feedNames]);
const methods: ReadonlySet<string> = new Set(
  Object.values(feeds).flatMap(({ kinds }) => kinds.map(({ method }) => method)),
);
/** IDs that are not ordinary words or words of a stream. */
const unmistakable = [...ids].filter((id) => id.includes("_") && !methods.has(id));

/**
 * The text of an operand that refers to the name of an endpoint or a feed: `route.endpoint`, `each.id`,
 * `feed.name`, `name`.
 */
const speaksOfOne = /endpoint|feed|\bid$|\bname$/iu;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function nodesIn(node: Node): readonly Node[] {
  const inner = Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]));
  return [node, ...inner.filter(isNode).flatMap(nodesIn)];
}

function literal(value: unknown): string | undefined {
  if (!isNode(value) || value.type !== "Literal") return undefined;
  return typeof value["value"] === "string" ? value["value"] : undefined;
}

const isIn = (set: ReadonlySet<string>, value: unknown): boolean => set.has(literal(value) ?? "");

/** Every expression of a source that compares the name of an endpoint or a feed with a literal. */
function comparisonsIn(source: string): readonly string[] {
  const textOf = (value: unknown): string => (isNode(value) ? source.slice(value.start, value.end) : "");
  const compares = (node: Node): boolean => {
    switch (node.type) {
      case "BinaryExpression": {
        const sides = [node["left"], node["right"]];
        return (
          /^[!=]==?$/u.test(String(node["operator"])) &&
          sides.some((side) => isIn(names, side)) &&
          sides.some((side) => speaksOfOne.test(textOf(side)))
        );
      }
      case "SwitchStatement": {
        const cases = Array.isArray(node["cases"]) ? node["cases"].filter(isNode) : [];
        return (
          speaksOfOne.test(textOf(node["discriminant"])) && cases.some((each) => isIn(names, each["test"]))
        );
      }
      case "CallExpression": {
        const [first] = Array.isArray(node["arguments"]) ? node["arguments"] : [];
        const callee = /^(?<subject>.+)\.(?:startsWith|endsWith|includes)$/su.exec(textOf(node["callee"]));
        return isIn(names, first) && speaksOfOne.test(callee?.groups?.["subject"] ?? "");
      }
      case "ArrayExpression": {
        const elements = Array.isArray(node["elements"]) ? node["elements"] : [];
        return elements.some((each) => unmistakable.includes(literal(each) ?? ""));
      }
      default:
        return false;
    }
  };
  // Parsing every file would take seconds.
  if (![...names].some((name) => source.includes(`"${name}"`))) return [];
  const program: unknown = parseAst(source, { lang: "ts" });
  return isNode(program) ? nodesIn(program).filter(compares).map(textOf) : [];
}

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((name) => path.posix.join("src", name.split(path.sep).join("/")))
  .filter((name) => name.endsWith(".ts") && !name.startsWith("src/api/"));

describe("special properties of endpoints and feeds are fields", () => {
  test.each([
    'if (endpoint.id === "search") go();',
    'const cost = route?.endpoint === "multi_prices" ? 2 : 1;',
    'all.find(({ id }) => id !== "pool");',
    'const paid: ReadonlySet<EndpointId> = new Set(["pool_transactions"]);',
    'switch (endpoint.id) { case "usage": go(); }',
    'if (endpoint.id.endsWith("ohlcv")) go();',
    'const isCandle = feed.name === "ohlcv";',
    '["prices"].map((name) => name === "prices");',
  ])("%s is found", (source) => {
    expect(comparisonsIn(source)).toHaveLength(1);
  });

  test.each([
    'if (takes === "pool") go();',
    'if (method === "token_ohlcv") go();',
    "answers[route.endpoint](query);",
    "const shown = endpoint.id === other.id;",
  ])("%s is not found", (source) => {
    expect(comparisonsIn(source)).toEqual([]);
  });

  test("no code outside the contract compares endpoint or feed names", () => {
    const found = sources.flatMap((file) =>
      comparisonsIn(readFileSync(file, "utf8")).map((text) => `${file}: ${text}`),
    );
    expect(sources.length).toBeGreaterThan(300);
    expect(found).toEqual([]);
  });
});

test("the rows of a list for one address can show which of several addresses they belong to", () => {
  const lists = endpoints.filter(
    (endpoint) =>
      takesAddress(endpoint) && endpoint.reply.kind !== "batch" && endpoint.reply.kind !== "single",
  );
  expect(lists.length).toBeGreaterThan(1);
  expect(lists.filter((endpoint) => rowShape(endpoint).ofMany === undefined).map(({ id }) => id)).toEqual([]);
});
