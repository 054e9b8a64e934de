import { type ESTree, parseSync, Visitor } from "rolldown/utils";

/** A change that a test should notice: the text of a file from `start` to `end` replaced. */
export interface Change extends Span {
  readonly operator: "negate" | "drop" | "shift" | "swap";
  readonly text: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Mutations of operators, by one step or by sign. */
const shifted: ReadonlyMap<string, string> = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
  ["%", "/"],
]);
const opposite: ReadonlyMap<string, string> = new Map([
  ["===", "!=="],
  ["!==", "==="],
]);
const swapped: ReadonlyMap<string, string> = new Map([
  ["min", "max"],
  ["max", "min"],
  ["some", "every"],
  ["every", "some"],
]);

/** Every change that the operators can make in a module, in the order of the text. */
export function changesOf(file: string, source: string): readonly Change[] {
  const changes: Change[] = [];
  const outside: Span[] = [];
  const slice = ({ start, end }: Span): string => source.slice(start, end);
  const add = (operator: Change["operator"], { start, end }: Span, text: string): void => {
    changes.push({ operator, start, end, text });
  };
  const negate = (condition: ESTree.Expression | null): void => {
    // `===` and `!==` are swapped in place.
    if (condition === null || (condition.type === "BinaryExpression" && opposite.has(condition.operator)))
      return;
    add("negate", condition, `!(${slice(condition)})`);
  };
  const drop = (statement: Span): void => add("drop", statement, ";");
  const leave = (span: Span): void => {
    outside.push(span);
  };
  new Visitor({
    IfStatement: ({ test }) => negate(test),
    ConditionalExpression: ({ test }) => negate(test),
    WhileStatement: ({ test }) => negate(test),
    ForStatement: ({ test }) => negate(test),
    LogicalExpression: ({ operator, left, right }) => {
      // The operands of `??` are values, not conditions.
      if (operator === "??") return;
      negate(left);
      negate(right);
    },
    ExpressionStatement: drop,
    ReturnStatement: drop,
    ThrowStatement: drop,
    BreakStatement: drop,
    ContinueStatement: drop,
    BinaryExpression: ({ operator, left, right }) => {
      const between = { start: left.end, end: right.start };
      const replace = (other: string): string => slice(between).replace(operator, other);
      const [other, contrary] = [shifted.get(operator), opposite.get(operator)];
      if (other !== undefined) add("shift", between, replace(other));
      if (contrary !== undefined) add("negate", between, replace(contrary));
    },
    MemberExpression: ({ property }) => {
      const other = property.type === "Identifier" ? swapped.get(property.name) : undefined;
      if (other !== undefined) add("swap", property, other);
    },
    Literal: (node) => {
      const { value } = node;
      if ("regex" in node) for (const form of changedForms(slice(node))) add("swap", node, form);
      else if (typeof value === "boolean") add("swap", node, String(!value));
      else if (typeof value === "number") add("swap", node, String(value + 1));
      else if (typeof value === "string") {
        const ranges = changedRanges(slice(node));
        for (const range of ranges) add("shift", node, range);
        if (ranges.length === 0) add("swap", node, value === "" ? '"x"' : '""');
      }
    },
    TemplateElement: ({ start, value: { raw } }) => {
      // The node's own range includes the delimiters.
      const from = source.indexOf(raw, start);
      const text = { start: from, end: from + raw.length };
      const ranges = changedRanges(raw);
      for (const range of ranges) add("shift", text, range);
      if (ranges.length === 0 && raw.trim() !== "") add("swap", text, "");
    },
    // None of these exists at run time.
    ImportDeclaration: leave,
    TSInterfaceDeclaration: leave,
    TSTypeAliasDeclaration: leave,
    TSTypeAnnotation: leave,
    TSTypeParameterInstantiation: leave,
    TSAsExpression: ({ typeAnnotation }) => leave(typeAnnotation),
  }).visit(parseSync(file, source).program);
  return changes
    .filter(({ start, end }) => !outside.some((span) => span.start <= start && end <= span.end))
    .toSorted((one, other) => one.start - other.start || one.end - other.end);
}

/**
 * Variants of a regular expression with one part changed: a class inverted, a repetition or an anchor moved.
 */
function changedForms(written: string): readonly string[] {
  const body = written.slice(0, written.lastIndexOf("/"));
  const flags = written.slice(body.length);
  const forms = [...body.matchAll(/\\[dsw]|\\u\{[\da-f]+\}|\\.|\[\^|\{\d+|[+*^$]/giu)].map((match) => {
    const other = changedPart(match[0]);
    return `${body.slice(0, match.index)}${other}${body.slice(match.index + match[0].length)}${flags}`;
  });
  const insensitive = flags.includes("i") ? [body + flags.replace("i", "")] : [];
  return [...forms, ...insensitive].filter((form) => form !== written);
}

function changedPart(part: string): string {
  if (part === "[^") return "[";
  if (part === "+") return "*";
  if (part === "*") return "+";
  if (part === "^" || part === "$") return "";
  if (part.startsWith("{")) return `{${Number(part.slice(1)) + 1}`;
  return /^\\[dsw]$/u.test(part) ? part.toUpperCase() : part;
}

/** Variants of a text with ranges such as `\\u200b-\\u200f`, with one end moved by one. */
function changedRanges(literal: string): readonly string[] {
  return [...literal.matchAll(/\\\\u(?:\{(?<long>[\da-f]+)\}|(?<short>[\da-f]{4}))/gu)].map((match) => {
    const { long, short = "" } = match.groups ?? {};
    // Each end is moved inward: the first character of a range up, the last down.
    const isLast = literal[match.index - 1] === "-";
    const code = (Number.parseInt(long ?? short, 16) + (isLast ? -1 : 1)).toString(16);
    const other = long === undefined ? `\\\\u${code.padStart(4, "0")}` : `\\\\u{${code}}`;
    return `${literal.slice(0, match.index)}${other}${literal.slice(match.index + match[0].length)}`;
  });
}
