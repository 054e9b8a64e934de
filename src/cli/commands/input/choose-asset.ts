import type { AddressOf } from "../../../api/address-form.ts";
import { labelOfRow, labelText } from "../../../api/asset-kind.ts";
import { search } from "../../../api/endpoints/search.ts";
import type { Context } from "../../../base/context/context.ts";
import { fail, Failure } from "../../../base/failure.ts";
import { isObject, member } from "../../../base/json/raw-json.ts";
import { counted } from "../../../base/text/counted.ts";
import type { NamedAsset } from "../../../client/settings/asset-names.ts";
import { addAssetName } from "../../../client/settings/edit-asset-names.ts";
import { readSwitch } from "../../../client/settings/switch-words.ts";
import { nameOf, shortAddress, subjectKey } from "../../../client/subject.ts";
import { walkPages } from "../../../client/walk-pages.ts";
import type { LocalRow } from "../../render/format.ts";
import { drawLocalTable } from "../../render/table/local-table.ts";
import { textWidth } from "../../render/values/width.ts";
import { type Decimal, readDecimal, showAmount, showPrice } from "../../render/values/decimal.ts";
import { isKnownNetwork, unknownNameHint } from "../../run/asset-names.ts";
import { flagWords } from "../../run/flags/flag.ts";
import { say, sayWarning } from "../../run/report.ts";
import { type RunOptions, nameServiceOf } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import type { NamedInput } from "./asset-places.ts";

interface WantedAsset {
  /** As typed. */
  readonly word: string;
  /** Undefined if any network is possible. */
  readonly network: string | undefined;
  readonly kind: AddressOf;
  /** The word is the name of an asset on another network. */
  readonly isTaken: boolean;
}

/** A person sees the question and can reply, and nothing asks for silence. */
export function canAsk(
  { flags }: NamedInput,
  { stdin, stderr, env }: Context,
  { isQuiet, errorFormat }: RunOptions,
): boolean {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "" && readSwitch(env[name] ?? "") !== false;
  if (!stdin.isTerminal || !stderr.isTerminal || isQuiet || errorFormat === "json") return false;
  return flags["no-input"] !== true && flags.estimate !== true && !isSet("DEXDATA_NO_INPUT") && !isSet("CI");
}

/** Searches with one request, and lets the user choose. Never chooses anything itself. */
export async function chooseAsset(
  input: NamedInput,
  outer: Context,
  wanted: WantedAsset,
): Promise<{ readonly asset: NamedAsset; readonly credits: number }> {
  return await withRun(input, outer, async (run) => {
    const { word, kind } = wanted;
    await say(run.context, `"${word}" is not a name yet; searching for a ${kind} (1 request, 1 credit)`);
    const { client } = await run.open({ over: () => undefined });
    const groups = new Map<string, readonly object[]>();
    const query = new Map([["query", word]]);
    for await (const { group, rows } of walkPages(client, search, query, { pageSize: 0, isStrict: true }))
      groups.set(group, rows.values());
    const found = ranked(candidatesIn(groups, wanted), word);
    const { asset } = await choose(run, wanted, found);
    await keepName(run, input, wanted, asset);
    return { asset, credits: client.meter.credits + client.meter.creditsInDoubt };
  });
}

interface Candidate {
  readonly asset: NamedAsset;
  readonly symbol: string;
  readonly row: object;
  /** In USD; undefined if no response has it. */
  readonly liquidity: number | undefined;
  readonly volume: number | undefined;
  /** The volume of its pools in the same response. */
  readonly listedVolume: number;
}

function candidatesIn(
  groups: ReadonlyMap<string, readonly object[]>,
  { network, kind }: WantedAsset,
): readonly Candidate[] {
  const listed = new Map<string, number>();
  for (const pool of groups.get("pools") ?? []) {
    const [chain, tokens] = [String(member(pool, "chain")), member(pool, "tokens")];
    for (const token of Array.isArray(tokens) ? tokens.filter(isObject) : []) {
      const key = subjectKey({ network: chain, address: String(member(token, "id")) });
      listed.set(key, (listed.get(key) ?? 0) + (numberIn(pool, "volume_usd") ?? 0));
    }
  }
  return (groups.get(`${kind}s`) ?? []).flatMap((row) => {
    const [chain, address] = [member(row, "chain"), member(row, "id")];
    if (typeof chain !== "string" || typeof address !== "string") return [];
    if (network !== undefined && chain !== network) return [];
    const asset = { network: chain, address, kind };
    const figures = { liquidity: numberIn(row, "liquidity_usd"), volume: numberIn(row, "volume_usd") };
    const listedVolume = listed.get(subjectKey(asset)) ?? 0;
    return [{ asset, row, symbol: labelOfRow(row) ?? "", listedVolume, ...figures }];
  });
}

function numberIn(row: object, field: string): number | undefined {
  const value = member(row, field);
  return typeof value === "number" ? value : undefined;
}

/** The symbol itself first, then by liquidity and volume. */
function ranked(candidates: readonly Candidate[], word: string): readonly Candidate[] {
  const isExact = ({ symbol }: Candidate): number =>
    symbol.toLowerCase().split("/").includes(word.toLowerCase()) ? 1 : 0;
  const measures = [
    isExact,
    ({ liquidity = 0 }: Candidate) => liquidity,
    ({ volume, listedVolume }: Candidate) => volume ?? listedVolume,
  ];
  return candidates.toSorted((one, other) => {
    for (const measure of measures) if (measure(one) !== measure(other)) return measure(other) - measure(one);
    return 0;
  });
}

const maxShown = 8;
const maxAttempts = 3;

async function choose(
  { context, options }: Run,
  { word, network, kind }: WantedAsset,
  found: readonly Candidate[],
): Promise<Candidate> {
  const shown = found.slice(0, maxShown);
  const isSandbox = options.sandbox?.isFlagged === true;
  const none = (message: string): Failure =>
    fail("unknown_name", message, { next: unknownNameHint(word, isSandbox) });
  if (shown.length === 0)
    throw none(`unknown name "${word}": no ${kind} found${network === undefined ? "" : ` on ${network}`}`);
  await context.stderr.write(drawCandidates(shown, context.stderr.columns ?? Number.POSITIVE_INFINITY));
  const flag = isSandbox ? " --sandbox" : "";
  if (found.length > shown.length)
    await say(
      context,
      `${found.length - shown.length} more: dexdata search ${word}${flag}${network === undefined ? `; to narrow it: <network> ${word}` : ""}`,
    );
  for (const line of lookalikes(found)) await sayWarning(context, line);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await context.stderr.write(`number of the ${kind} (Enter: none): `);
    const typed = (await context.stdin.readLine(context.signal)).trim();
    if (typed === "") break;
    const chosen = /^\d+$/u.test(typed) ? shown[Number(typed) - 1] : undefined;
    if (chosen !== undefined) return chosen;
    await say(context, `"${typed}" is not a number from 1 to ${shown.length}`);
  }
  throw none(`unknown name "${word}": no ${kind} chosen`);
}

/** Anyone can create a token with the symbol of another one. */
function lookalikes(found: readonly Candidate[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { asset, symbol } of found) {
    const key = `${asset.network} have the symbol ${symbol.toUpperCase()}`;
    if (asset.kind === "token" && symbol !== "") counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].flatMap(([key, count]) =>
    count < 2 ? [] : [`${counted(count, "token")} on ${key}; compare the addresses`],
  );
}

/** In a narrow window, addresses are shortened, and then the least important columns are hidden. */
function drawCandidates(candidates: readonly Candidate[], room: number): string {
  const isMeasured = candidates.some(
    ({ liquidity, volume }) => liquidity !== undefined || volume !== undefined,
  );
  const rows = candidates.map((each, index) => rowOf(each, index + 1, isMeasured));
  const names = Object.keys(rows[0] ?? {});
  const hidden = names.filter((name) => rows.every((row) => row[name] === ""));
  for (const [isShort, next] of [
    [false],
    [true],
    [true, "name"],
    [true, "created"],
    [true, "price_USD"],
  ] as const) {
    if (next !== undefined) hidden.push(next);
    const text = drawLocalTable(
      rows.map(({ address, ...row }) => ({
        ...Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.includes(name))),
        address: isShort ? shortAddress(address) : address,
      })),
      { hasHeader: true, room: undefined },
    );
    if (next === "price_USD" || text.split("\n").every((line) => textWidth(line) <= room)) return text;
  }
  return "";
}

function rowOf(
  { asset, symbol, row, liquidity, volume, listedVolume }: Candidate,
  number: number,
  isMeasured: boolean,
): LocalRow & { readonly address: string } {
  const [name, created] = [member(row, "dex_name") ?? member(row, "name"), member(row, "created_at")];
  return {
    "#": String(number),
    symbol,
    name: labelText(typeof name === "string" ? name : "").slice(0, 24),
    network: asset.network,
    price_USD: formatUsd(numberIn(row, "price_usd"), showPrice),
    ...(isMeasured
      ? { liquidity: formatUsd(liquidity, showAmount), volume: formatUsd(volume, showAmount) }
      : { volume_of_listed_pools: formatUsd(listedVolume, showAmount) }),
    created: typeof created === "string" ? created.slice(0, 10) : "",
    address: asset.address,
  };
}

function formatUsd(value: number | undefined, show: (decimal: Decimal) => string): string {
  const decimal = readDecimal(value ?? Number.NaN);
  return decimal === undefined ? "" : show(decimal);
}

/** If the name cannot be stored, the choice is still used. */
async function keepName(
  { context, options }: Run,
  { typed }: NamedInput,
  { word, isTaken }: WantedAsset,
  asset: NamedAsset,
): Promise<void> {
  const name = word.toLowerCase();
  if (isTaken || isKnownNetwork(context, name)) return;
  try {
    await addAssetName(context, nameServiceOf(options), name, asset, false);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    return await sayWarning(context, `the name "${name}" was not stored: ${cause.message}`);
  }
  const service = new Map([...typed].filter(([flag]) => ["sandbox", "seed", "base-url"].includes(flag)));
  const undo = ["dexdata name remove", name, ...flagWords(service)].join(" ");
  await say(context, `${name} is ${nameOf(asset)} from now on; to undo: ${undo}`);
}
