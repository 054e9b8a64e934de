import { createHash } from "node:crypto";
import type { RuleId } from "../../src/rows/verify-rules.ts";
import { createRandom } from "../harness/random.ts";
import { toRow } from "../harness/rows.ts";

/** A file as the planter sees it: the text of each row, and the receipt. It shares no code with `src`. */
export interface Sample {
  readonly rows: readonly string[];
  readonly receipt: Readonly<Record<string, unknown>>;
}

/** A damaged file; `line` is where the fault is, if it is in one row. */
export interface Planted {
  readonly bytes: Buffer;
  /** Undefined for a fault that `verify` must find without a receipt. */
  readonly receipt: string | undefined;
  readonly line: number | undefined;
}

export interface Dice {
  readonly below: (limit: number) => number;
  readonly from: <T>(values: readonly T[]) => T;
}

export function createDice(seed: number): Dice {
  const random = createRandom(seed * 7919 + 1);
  for (let index = 0; index < 20; index += 1) random();
  const below = (limit: number): number => Math.floor(random() * limit);
  return {
    below,
    from: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("no values");
      return value;
    },
  };
}

const textOf = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join("");

const identityNames = ["id", "log_index", "created_at", "time_open"];

function identityOf(row: string | undefined): object | null {
  if (row === undefined) return null;
  const value = toRow(row);
  return Object.fromEntries(identityNames.flatMap((name) => (name in value ? [[name, value[name]]] : [])));
}

/** The receipt of an honest pull that wrote exactly these rows. */
export function receiptOf(
  sample: Sample,
  bytes: Buffer,
  rows: readonly string[],
  changes: object = {},
): string {
  const isJson = rows.every((row) => {
    try {
      return typeof JSON.parse(row) === "object";
    } catch {
      return false;
    }
  });
  return JSON.stringify({
    ...sample.receipt,
    rows: rows.length,
    ...(isJson && { first_row: identityOf(rows[0]), last_row: identityOf(rows.at(-1)) }),
    output: {
      file: "rows.ndjson",
      format: "ndjson",
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    },
    more: false,
    ...changes,
  });
}

/** Replaces one row by the result of `change`, with an honest receipt for every second seed. */
function inRow(sample: Sample, seed: number, at: number, changed: readonly string[]): Planted {
  const rows = [...sample.rows.slice(0, at), ...changed, ...sample.rows.slice(at + 1)];
  const bytes = Buffer.from(textOf(rows));
  return {
    bytes,
    receipt: seed % 2 === 0 ? receiptOf(sample, bytes, rows) : undefined,
    line: at + changed.length,
  };
}

/** Sets a member by its text, so that no digit is lost. */
export function withMember(row: string, name: string, value: string): string {
  const pattern = new RegExp(`"${name}":(?:"(?:[^"\\\\]|\\\\.)*"|[^,"}\\]]+)`, "u");
  const member = `"${name}":${value}`;
  if (pattern.test(row)) return row.replace(pattern, () => member);
  return `${row.slice(0, -1)},${member}}`;
}

const memberOf = (row: string, name: string): unknown => toRow(row)[name];

type Plant = (samples: Samples, dice: Dice, seed: number) => Planted;

export interface Samples {
  readonly transactions: Sample;
  readonly candles: Sample;
  readonly filled: Sample;
  readonly pools: Sample;
}

const shifted = (time: unknown, seconds: number): string =>
  `"${new Date(Date.parse(String(time)) + seconds * 1000).toISOString().replace(".000Z", "Z")}"`;

const plantInRow =
  (kinds: readonly (keyof Samples)[], change: (row: string, dice: Dice) => string): Plant =>
  (samples, dice, seed) => {
    const sample = samples[dice.from(kinds)];
    const at = dice.below(sample.rows.length);
    return inRow(sample, seed, at, [change(sample.rows[at] ?? "", dice)]);
  };

const everything = ["transactions", "candles", "filled", "pools"] as const;
const timed = ["transactions", "candles"] as const;

const brokenRow = (row: string, dice: Dice): Buffer => {
  const cut = 1 + dice.below(row.length - 1);
  return dice.from([
    () => Buffer.from(row.slice(0, cut)),
    () => Buffer.from(`${row}}`),
    () => Buffer.from(""),
    () => Buffer.from("null"),
    () => Buffer.from(`[${row}]`),
    () => Buffer.from(row.replace(",", ",,")),
    () => Buffer.from(row.replace('"', "'")),
    () => Buffer.concat([Buffer.from(row.slice(0, 8)), Buffer.from([0xff]), Buffer.from(row.slice(8))]),
  ])();
};

/** One planter per rule. */
export const plants: Readonly<Record<RuleId, Plant>> = {
  F1: (samples, dice) => {
    const sample = samples[dice.from(everything)];
    const intact = Buffer.from(textOf(sample.rows));
    const receipt = receiptOf(sample, intact, sample.rows);
    const digit = (): Buffer => {
      // The first digit of a value that no rule limits: the row stays valid.
      const text = intact.toString("latin1");
      const places = [...text.matchAll(/"(?:volume|liquidity_usd|price_0_usd)":(?=\d)/gu)];
      const place = dice.from(places);
      const at = place.index + place[0].length;
      const bytes = Buffer.from(intact);
      bytes[at] = bytes[at] === 0x31 ? 0x32 : 0x31;
      return bytes;
    };
    const shorter = (): Buffer => Buffer.from(textOf(sample.rows.slice(0, -1 - dice.below(20))));
    const exchanged = dice.below(2) === 0 ? digit() : shorter();
    return { bytes: exchanged, receipt, line: undefined };
  },
  F2: (samples, dice, seed) => {
    const sample = samples[dice.from(everything)];
    const at = dice.below(sample.rows.length);
    const bytesOf = (broken: Buffer, end = "\n"): Buffer =>
      Buffer.concat([
        Buffer.from(textOf(sample.rows.slice(0, at))),
        broken,
        Buffer.from(end),
        Buffer.from(textOf(sample.rows.slice(at + 1))),
      ]);
    const isCut = dice.below(6) === 0;
    const row = sample.rows[isCut ? sample.rows.length - 1 : at] ?? "";
    const bytes = isCut
      ? Buffer.from(textOf(sample.rows).slice(0, -1 - dice.below(row.length - 1)))
      : bytesOf(brokenRow(row, dice));
    const receipt = seed % 2 === 0 ? receiptOf(sample, bytes, sample.rows) : undefined;
    return { bytes, receipt, line: isCut ? sample.rows.length : at + 1 };
  },
  F4: (samples, dice) => {
    const sample = samples[dice.from(timed)];
    const bytes = Buffer.from(textOf(sample.rows));
    const other = sample.rows[1 + dice.below(sample.rows.length - 2)];
    const changes = dice.from([
      { rows: sample.rows.length + 1 + dice.below(100) },
      { rows: sample.rows.length - 1 - dice.below(100) },
      { first_row: identityOf(other) },
      { last_row: identityOf(other) },
    ]);
    return { bytes, receipt: receiptOf(sample, bytes, sample.rows, changes), line: undefined };
  },
  R3: (samples, dice, seed) => {
    const sample = samples[dice.from(everything)];
    const at = dice.below(sample.rows.length);
    const row = sample.rows[at] ?? "";
    // Twice the same, or with other values of a field that does not identify the row.
    const again = dice.below(2) === 0 ? row : withMember(row, "note", String(dice.below(1000)));
    return inRow(sample, seed, at, [row, again]);
  },
  R4: (samples, dice) => {
    const sample = samples[dice.from(timed)];
    const name = sample === samples.transactions ? "created_at" : "time_open";
    const isTransactions = sample === samples.transactions;
    const at = dice.below(sample.rows.length);
    const [first, last] = [0, sample.rows.length - 1];
    const [newest, oldest] = isTransactions ? [first, last] : [last, first];
    const place = (index: number, days: number): readonly [number, string, string] => [
      index,
      name,
      shifted(memberOf(sample.rows[index] ?? "", name), days * 86_400),
    ];
    const choices: (readonly [number, string, string])[] = [
      [at, name, '"yesterday"'],
      [at, name, '"2026-02-30T00:00:00Z"'],
      [at, name, '"2026-11-20T10:00:00"'],
      [at, name, "null"],
      place(newest, 2 + dice.below(5)),
      place(oldest, -2 - dice.below(5)),
    ];
    if (isTransactions) choices.push([at, "pool_id", `"0x${"ab".repeat(20)}"`]);
    const [line, field, value] = dice.from(choices);
    const days = Math.round(
      (Date.parse(value.slice(1, -1)) - Date.parse(String(memberOf(sample.rows[line] ?? "", name)))) /
        86_400_000,
    );
    const change = (row: string): string => {
      const changed = withMember(row, field, value);
      // The candle moves with both of its times.
      return isTransactions || !(Math.abs(days) >= 2)
        ? changed
        : withMember(changed, "time_close", shifted(memberOf(row, "time_close"), days * 86_400));
    };
    const rows = sample.rows.map((row, index) => (index === line ? change(row) : row));
    const bytes = Buffer.from(textOf(rows));
    return { bytes, receipt: receiptOf(sample, bytes, rows), line: line + 1 };
  },
  R5: (samples, dice, seed) => {
    const sample = samples[dice.from(timed)];
    const name = sample === samples.transactions ? "created_at" : "time_open";
    const times = sample.rows.map((row) => String(memberOf(row, name)));
    // Two neighbors with different times change places.
    let at = dice.below(sample.rows.length - 1);
    while (times[at] === times[at + 1]) at = (at + 1) % (sample.rows.length - 1);
    const rows = [...sample.rows];
    [rows[at], rows[at + 1]] = [sample.rows[at + 1] ?? "", sample.rows[at] ?? ""];
    const bytes = Buffer.from(textOf(rows));
    return { bytes, receipt: seed % 2 === 0 ? receiptOf(sample, bytes, rows) : undefined, line: at + 2 };
  },
  H1: (samples, dice, seed) => {
    if (seed % 3 === 0) {
      const sample = samples[dice.from(everything)];
      const bytes = Buffer.from(textOf(sample.rows));
      const changes = { complete: false, why_not: "SIGINT", exit: 130 };
      return { bytes, receipt: receiptOf(sample, bytes, sample.rows, changes), line: undefined };
    }
    const sample = samples.filled;
    // Without any filled candle, nothing would show that the file was filled.
    const lastFilled = sample.rows.findLastIndex((row) => row.includes('"filled":true'));
    const at = 1 + dice.below(lastFilled - 7);
    const most = Math.min(5, sample.rows.length - 2 - at);
    const rows = [...sample.rows.slice(0, at), ...sample.rows.slice(at + 1 + dice.below(most))];
    const bytes = Buffer.from(textOf(rows));
    return { bytes, receipt: seed % 2 === 0 ? receiptOf(sample, bytes, rows) : undefined, line: at + 1 };
  },
  R1: plantInRow(everything, (row, dice) => {
    const [name, value] = dice.from<readonly [string, string]>(
      row.includes('"log_index"')
        ? [
            ["token_0", "17"],
            ["log_index", '"x"'],
            ["created_at_block_number", "1.5"],
            ["price_0_usd", '"many"'],
            ["amount_0", "true"],
          ]
        : row.includes('"time_open"')
          ? [
              ["open", '"1.5e"'],
              ["volume", "0.5"],
              ["volume", '"12"'],
              ["partial", '"yes"'],
            ]
          : [
              ["dex_id", "5"],
              ["liquidity_usd", '"rich"'],
              ["transactions_24h", "1.25"],
              ["created_at", "12"],
            ],
    );
    return withMember(row, name, value);
  }),
  T3: plantInRow(["transactions"], (row, dice) => {
    const digits = `${1 + dice.below(9)}${"0123456789".repeat(6).slice(0, 34 + dice.below(26))}`;
    const sign = dice.from(["", "-"]);
    const value = dice.from([`"${sign}${digits}"`, `${sign}${digits}`, `${sign}1.5e${35 + dice.below(200)}`]);
    return withMember(row, dice.from(["amount_0", "amount_1"]), value);
  }),
  T7: plantInRow(["transactions"], (row) => withMember(row, "canonical_chain", "false")),
  C1: plantInRow(["candles"], (row, dice) => {
    const { low, high } = /"high":(?<high>[^,]+),"low":(?<low>[^,]+)/u.exec(row)?.groups ?? {};
    // One more or less in the last place, which a double may not show.
    const long = (text = "", digit = ""): string =>
      text.includes("e") ? text.replace("e", `${digit}e`) : text + digit;
    const [name, value] = dice.from<readonly [string, string]>([
      ["low", "0"],
      ["low", `-${low ?? ""}`],
      ["open", long(high?.includes(".") === true ? high : `${high ?? ""}.`, "00000000000000000001")],
      ["close", long(high?.includes(".") === true ? high : `${high ?? ""}.`, "00000000000000000001")],
      ["open", "1e-300"],
      ["close", "1e300"],
    ]);
    return withMember(row, name, value);
  }),
  C2: plantInRow(["candles"], (row, dice) => {
    const close = memberOf(row, "time_close");
    const open = memberOf(row, "time_open");
    return dice.from([
      () => withMember(row, "time_close", shifted(close, dice.from([1, 7, 3600, -2, -30]))),
      () => withMember(row, "time_open", shifted(open, dice.from([1, 7, 30, 59]))),
      () => withMember(row, "time_open", `"${String(open).replace("Z", ".5Z")}"`),
    ])();
  }),
  H2: (samples, dice) => {
    const sample = samples[dice.from(everything)];
    const bytes = Buffer.from(textOf(sample.rows));
    const changes = dice.from([
      { more: true },
      { missing: 1 + dice.below(9) },
      { refused: 1 + dice.below(9) },
    ]);
    return { bytes, receipt: receiptOf(sample, bytes, sample.rows, changes), line: undefined };
  },
  H3: plantInRow(["candles", "filled"], (row) => withMember(row, "partial", "true")),
};
