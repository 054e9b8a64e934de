import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Dialect } from "../../src/sandbox/sandbox-exchange.ts";
import { parseFaults } from "./bundled-sandbox.ts";
import type { DisturbanceKind } from "./disturbing/disturbances.ts";
import type { DisturbingProxy, Plan } from "./disturbing-proxy.ts";
import { readRows, run } from "./dexdata.ts";
import type { SandboxInTest } from "./sandbox.ts";
import { createTestContext, type TestContext } from "./test-context.ts";

export interface Step {
  /** `{dir}` is the directory of the run. */
  readonly words: string;
  /** As in `--faults`; counted from the start of the step. */
  readonly faults?: string;
  /** Disturbs the response with this number, from 1, and the retries of its URL if `isKept`. */
  readonly strike?: { readonly kind: DisturbanceKind; readonly number: number; readonly isKept?: true };
  readonly tier?: Parameters<SandboxInTest["env"]>[0];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Ends the run like Ctrl-C when this many responses have arrived. */
  readonly until?: number;
}

export interface RecordedRun {
  readonly title: string;
  readonly dialect?: Dialect;
  readonly steps: readonly (string | Step)[];
}

export interface RecordingDesk {
  readonly sandboxes: Readonly<Record<Dialect, SandboxInTest>>;
  readonly proxies: Readonly<Record<Dialect, DisturbingProxy>>;
  readonly folder: string;
}

/** Returns requests, stdout, stderr, exit code and files of each step, as short text without ports and times. */
export async function recordRun(desk: RecordingDesk, recorded: RecordedRun): Promise<string> {
  const { title, dialect = "spec", steps } = recorded;
  const dir = path.join(desk.folder, title.replaceAll(/\W+/gu, "-"));
  mkdirSync(dir);
  const parts = [`## ${title}${dialect === "public" ? " (public dialect)" : ""}\n`];
  const sandbox = desk.sandboxes[dialect];
  const proxy = desk.proxies[dialect];
  let hasFailed = false;
  for (const each of steps) {
    const step = typeof each === "string" ? { words: each } : each;
    const { text, exit } = await recordStep({ sandbox, proxy, dir }, step);
    hasFailed ||= exit !== 0;
    parts.push(text, ...receiptsIn(dir, hasFailed));
  }
  parts.push(filesBelow(dir, await rowsOfParquet(dir)));
  return shortened(parts.join(""));
}

async function recordStep(
  { sandbox, proxy, dir }: { sandbox: SandboxInTest; proxy: DisturbingProxy; dir: string },
  step: Step,
): Promise<{ readonly text: string; readonly exit: number }> {
  const { words, faults, tier = "pro", env, stdin } = step;
  const parsed = faults === undefined ? [] : parseFaults(faults);
  sandbox.running().setFaults(parsed);
  const context = createTestContext({
    flows: step.until !== undefined,
    stdin: stdin ?? "",
    env: {
      ...sandbox.env(tier),
      [tier === "pro" ? "DEXDATA_PRO_BASE_URL" : "DEXDATA_BASE_URL"]: proxy.url,
      LANG: "C.UTF-8",
      ...env,
    },
  });
  proxy.begin(planOf(step, context));
  const argv = words.split(" ").map((word) => word.replace("{dir}", dir));
  const { exit, stdout, stderr } = await run(argv, context);
  const shown = [
    faults && `faults ${faults}`,
    step.strike && strikeText(step.strike),
    tier !== "pro" && tier,
  ];
  const comment = shown.filter(Boolean).join(", ");
  const text = [
    `$ dexdata ${words}${comment === "" ? "" : `   # ${comment}`}\n`,
    requestsOf(proxy.requested),
    block("stdout", constant(stdout, dir)),
    block("stderr", constant(stderr, dir), Number.POSITIVE_INFINITY),
    `exit ${exit}\n`,
  ].join("");
  return { text, exit };
}

function planOf({ strike, until }: Step, context: TestContext): Plan {
  let struck: string | undefined;
  return ({ url }, history) => {
    const number = history.length + 1;
    if (number === until) context.interrupt({ cause: "SIGINT" });
    if (strike === undefined) return undefined;
    if (number === strike.number) struck = url;
    else if (url !== struck || strike.isKept !== true) return undefined;
    const before = history.at(strike.number - 2);
    const stale = history.at(0);
    return { url, kind: strike.kind, times: 1, before, stale, overlap: 3, seed: 3 };
  };
}

function strikeText({ kind, number, isKept }: NonNullable<Step["strike"]>): string {
  return `response ${number} is ${kind}${isKept === true ? ", and stays so" : ""}`;
}

const mostRequests = 14;

function requestsOf(urls: readonly string[]): string {
  const lines = urls.map((url) => `  GET ${url}\n`);
  if (lines.length <= mostRequests) return lines.join("");
  const left = lines.slice(3, -2);
  return [
    ...lines.slice(0, 3),
    `  … ${left.length} more requests, SHA-256 ${digest(left.join(""))}\n`,
    ...lines.slice(-2),
  ].join("");
}

const maxLines = 6;
const mostColumns = 150;

function block(name: string, text: string, most = maxLines): string {
  if (text === "") return "";
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const cut = (line: string): string =>
    line.length <= mostColumns || most !== maxLines ? line : `${line.slice(0, mostColumns)}…`;
  const isWhole = lines.length <= most;
  const shown = isWhole ? lines : [...lines.slice(0, 2), "…", ...lines.slice(-1)];
  const summary = most === maxLines ? `, ${lines.length} lines, SHA-256 ${digest(text)}` : "";
  return `${name}${summary}\n${shown.map((line) => `  | ${cut(line)}\n`).join("")}`;
}

function digest(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** The bytes of a Parquet file contain the time of the run; its rows do not. */
async function rowsOfParquet(dir: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const name of namesBelow(dir))
    if (name.endsWith(".parquet")) found.set(name, await readRows(path.join(dir, name)).catch(() => []));
  return found;
}

function namesBelow(dir: string): readonly string[] {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).toSorted();
  return names.filter((name) => statSync(path.join(dir, name)).isFile());
}

/**
 * The last run replaces the receipt of the one before it. A run that fails cancels requests that it has sent in advance,
 * and only some of them have been answered, so the credits differ from then on.
 */
function receiptsIn(dir: string, hasFailed: boolean): readonly string[] {
  const names = namesBelow(dir).filter(isReceipt);
  return names.map(
    (name) =>
      `receipt ${constant(receiptLine(readFileSync(path.join(dir, name), "utf8"), hasFailed), dir)}\n`,
  );
}

function isReceipt(name: string): boolean {
  return name.endsWith(".receipt.json");
}

/** All but the receipts. */
function filesBelow(dir: string, parquet: ReadonlyMap<string, readonly string[]>): string {
  return namesBelow(dir)
    .filter((name) => !isReceipt(name))
    .map((name) => {
      const rows = parquet.get(name);
      if (rows !== undefined)
        return `file ${name}, ${rows.length} rows, SHA-256 ${digest(rows.join("\n"))}\n`;
      const bytes = readFileSync(path.join(dir, name));
      const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
      if (name.includes(".dexdata")) return `file ${name}\n`;
      return block(`file ${name}`, constant(text, dir));
    })
    .join("");
}

/** Members that differ from run to run. */
const volatile = ["dexdata", "started", "ended", "service", "query"];

function receiptLine(text: string, hasFailed: boolean): string {
  const receipt: Readonly<Record<string, unknown>> = JSON.parse(text);
  const kept = Object.entries(receipt).filter(
    ([name]) => !volatile.includes(name) && !(hasFailed && name === "credits"),
  );
  return JSON.stringify(Object.fromEntries(kept));
}

/** Without what differs from run to run. */
function constant(text: string, dir: string): string {
  return (
    text
      .replaceAll(dir, "{dir}")
      .replaceAll(/127\.0\.0\.1:\d+/gu, "HOST")
      .replaceAll(/"(before|after|used|remaining)":\d+/gu, '"$1":0')
      // A request that was sent in advance may be canceled before its response has named the plan.
      .replaceAll(/"plans":\{"(\w+)":\d+\}/gu, '"plans":{"$1":N}')
      .replaceAll(/\([\d,]+ left\)/gu, "(N left)")
      .replaceAll(/(credits?(?: \(N left\))?, )(?:\d+m)?[\d.]+m?s/gu, "$1TIME")
  );
}

/** Hashes and addresses by their ends. */
function shortened(text: string): string {
  return text.replaceAll(/0x([0-9a-f]{4})(?:[0-9a-f]{56}|[0-9a-f]{32})([0-9a-f]{4})\b/gu, "0x$1…$2");
}
