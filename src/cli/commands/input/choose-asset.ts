import { plainList } from "../../../client/list-plan.ts";
import type { AddressOf } from "../../../api/known-networks.ts";
import { labelOfRow, labelText, tokensIn } from "../../../api/asset-kind.ts";
import { search } from "../../../api/endpoints/search.ts";
import type { Context } from "../../../base/context/context.ts";
import { fail, Failure } from "../../../base/failure.ts";
import { member } from "../../../base/json/json-scan.ts";
import { readSwitch } from "../../../base/text/words.ts";
import { groupBy } from "../../../base/group-by.ts";
import type { Meter } from "../../../client/meter.ts";
import { nameOf, shortAddress, subjectKey } from "../../../client/subject.ts";
import { readPages } from "../../../client/read-pages.ts";
import { readsUnicode } from "../../render/terminal.ts";
import { drawLocalTable } from "../../render/table/local-table.ts";
import { plainStyle, showCell } from "../../render/values/cell.ts";
import { textWidth } from "../../render/values/width.ts";
import {
  isKnownNetwork,
  unknownNameHint,
  type NamedAsset,
  setAssetName,
  wayToName,
} from "../../run/asset-names.ts";
import { flagWords } from "../../run/flags/flag.ts";
import { writeLine, writeWarning } from "../../run/report.ts";
import { nameServiceOf, type RunInput, type RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";

interface WantedAsset {
  /** As typed. */
  readonly word: string;
  /** Undefined if any network is possible. */
  readonly network: string | undefined;
  readonly kind: AddressOf;
  /** The word is the name of an asset on another network. */
  readonly isTaken: boolean;
}

/** Whether a person can see the question and reply, and no flag or variable forbids it. */
export function canAsk(
  { flags }: RunInput,
  { stdin, stderr, env }: Context,
  { isQuiet, errorFormat, settings }: RunOptions,
): boolean {
  const ci = env["CI"] ?? "";
  if (!stdin.isTerminal || !stderr.isTerminal || isQuiet || errorFormat === "json") return false;
  if (flags["no-input"] === true || flags.estimate === true || settings.no_input.value) return false;
  // Other programs set this variable, so any word but an explicit no counts.
  return ci === "" || readSwitch(ci) === false;
}

/** Searches with one request, and lets the user choose. Never chooses anything itself. */
export async function chooseAsset(
  input: RunInput,
  outer: Context,
  wanted: WantedAsset,
): Promise<{ readonly asset: NamedAsset; readonly spent: Meter }> {
  return await withRun(input, outer, async (run) => {
    const { word, kind, isTaken } = wanted;
    const why = isTaken ? "is the name of an asset on another network" : "is not a name yet";
    await writeLine(run.context, `"${word}" ${why}; searching for a ${kind} (1 request, 1 credit)`);
    const { client } = await run.open({ onClosed: () => undefined });
    const groups = new Map<string, readonly object[]>();
    const query = new Map([["query", word]]);
    for await (const { group, rows } of readPages(client, search, query, plainList(0)))
      groups.set(group, rows.values());
    const { asset, isKept } = await choose(run, wanted, candidatesIn(groups, wanted));
    if (isKept) await keepName(run, input, wanted, asset);
    return { asset, spent: client.meter };
  });
}

interface Candidate {
  readonly asset: NamedAsset;
  readonly symbol: string;
  readonly row: object;
  /** In USD: the volume of its pools in the same response. */
  readonly listedVolume: number;
}

/** The symbol itself comes first, then the order is by liquidity and volume. */
function candidatesIn(
  groups: ReadonlyMap<string, readonly object[]>,
  { word, network, kind }: WantedAsset,
): readonly Candidate[] {
  const pools = groups.get("pools") ?? [];
  const found = (groups.get(`${kind}s`) ?? []).flatMap((row): readonly Candidate[] => {
    const [chain, address] = [member(row, "chain"), member(row, "id")];
    if (typeof chain !== "string" || typeof address !== "string") return [];
    if (network !== undefined && chain !== network) return [];
    const asset = { network: chain, address, kind };
    const own = pools.filter((pool) => hasToken(pool, subjectKey(asset)));
    const listedVolume = own.reduce((sum, pool) => sum + (numberIn(pool, "volume_usd") ?? 0), 0);
    return [{ asset, row, symbol: labelOfRow(row) ?? "", listedVolume }];
  });
  const rankOf = (each: Candidate) => Number(hasSymbol(each, word));
  const liquidityOf = ({ row }: Candidate) => numberIn(row, "liquidity_usd") ?? 0;
  const volumeOf = ({ row, listedVolume }: Candidate) => numberIn(row, "volume_usd") ?? listedVolume;
  return found.toSorted(
    (one, other) =>
      rankOf(other) - rankOf(one) || liquidityOf(other) - liquidityOf(one) || volumeOf(other) - volumeOf(one),
  );
}

/** One of the two symbols of a pool will do. */
const hasSymbol = ({ symbol }: Candidate, word: string): boolean =>
  symbol.toLowerCase().split("/").includes(word.toLowerCase());

function hasToken(pool: object, key: string): boolean {
  const network = String(member(pool, "chain"));
  const ids = tokensIn(pool).map((token) => member(token, "id"));
  return ids.some((id) => subjectKey({ network, address: String(id) }) === key);
}

function numberIn(row: object, field: string): number | undefined {
  const value = member(row, field);
  return typeof value === "number" ? value : undefined;
}

const maxShown = 8;
const maxAttempts = 3;

async function choose(
  { context, options }: Run,
  wanted: WantedAsset,
  found: readonly Candidate[],
): Promise<{ readonly asset: NamedAsset; readonly isKept: boolean }> {
  const { word, network, kind } = wanted;
  const isSandbox = options.sandbox?.isFlagged === true;
  const none = (why: string): Failure =>
    fail("unknown_name", `unknown name "${word}": ${why}`, {
      next:
        network === undefined
          ? unknownNameHint(word, wayToName(word, undefined))
          : wayToName(word, wanted.isTaken ? network : undefined),
    });
  if (found.length === 0) throw none(`no ${kind} found${network === undefined ? "" : ` on ${network}`}`);
  const shown = found.slice(0, maxShown);
  const isSymbol = found.some((each) => hasSymbol(each, word));
  // A word becomes a name only if it is a symbol of an asset, is not a name yet, and does not hide a network.
  const isKept = isSymbol && !wanted.isTaken && !isKnownNetwork(context, word.toLowerCase());
  if (!isSymbol)
    await writeWarning(context, `no ${kind} has the symbol ${word.toUpperCase()}; similar ones:`);
  const alike = lookalikes(found);
  const room = context.stderr.columns ?? Number.POSITIVE_INFINITY;
  await context.stderr.write(drawCandidates(shown, room, alike.length > 0, readsUnicode(context.env)));
  const others = `${found.length - shown.length} more: dexdata search ${word} --type ${kind}s${isSandbox ? " --sandbox" : ""}`;
  const narrower =
    network === undefined ? `; to choose on one network, repeat the command with <network> ${word}` : "";
  if (found.length > shown.length) await writeLine(context, others + narrower);
  for (const line of alike) await writeWarning(context, line);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const purpose = isKept ? `, to be stored as "${word.toLowerCase()}"` : "";
    await context.stderr.write(`choose a ${kind} by number${purpose} (Enter for none): `);
    const typed = (await context.stdin.readLine(context.signal)).trim();
    if (typed === "") break;
    const chosen = /^\d+$/u.test(typed) ? shown[Number(typed) - 1] : undefined;
    if (chosen !== undefined) return { asset: chosen.asset, isKept: isKept && hasSymbol(chosen, word) };
    await writeLine(context, `"${typed}" is not a number from 1 to ${shown.length}`);
  }
  throw none(`no ${kind} chosen`);
}

/** Anyone can create a token with the symbol of another one. */
function lookalikes(found: readonly Candidate[]): readonly string[] {
  const tokens = found.filter(({ asset, symbol }) => asset.kind === "token" && symbol !== "");
  const alike = groupBy(
    tokens,
    ({ asset, symbol }) => `${asset.network} have the symbol ${symbol.toUpperCase()}`,
  );
  return [...alike].flatMap(([where, { length }]) =>
    length > 1 ? [`${length} tokens on ${where}; compare the addresses`] : [],
  );
}

const whole = (address: string): string => address;

/**
 * In a narrow window, addresses are shortened, and then the least important columns are hidden. If a symbol is there
 * twice, the addresses must be compared, and anyone can create one with the same first and last digits.
 */
function drawCandidates(
  candidates: readonly Candidate[],
  room: number,
  areAlike: boolean,
  countsZeros: boolean,
): string {
  const measures = ["liquidity_usd", "volume_usd"];
  const isMeasured = candidates.some(({ row }) => measures.some((name) => numberIn(row, name) !== undefined));
  const rows = candidates.map((each, index) => rowOf(each, index + 1, isMeasured, countsZeros));
  const empty = Object.keys(rows[0] ?? {}).filter((name) => rows.every((row) => row[name] === ""));
  const draw = (hidden: readonly string[], shorten: (address: string) => string): string => {
    const cells = rows.map((row) => Object.entries({ ...row, address: shorten(row["address"] ?? "") }));
    const kept = cells.map((row) => Object.fromEntries(row.filter(([name]) => !hidden.includes(name))));
    return drawLocalTable(kept, { hasHeader: true, room: undefined });
  };
  const least = [...empty, "name", "created"];
  const volumes = ["volume", "volume_of_listed_pools"];
  const wider = areAlike
    ? [draw(empty, whole), draw(least, whole)]
    : [
        draw(empty, whole),
        draw(empty, shortAddress),
        draw(least, shortAddress),
        draw([...least, ...volumes], shortAddress),
      ];
  const narrowest = draw([...least, ...volumes, "price_USD"], areAlike ? whole : shortAddress);
  return wider.find((text) => text.split("\n").every((line) => textWidth(line) <= room)) ?? narrowest;
}

const amount = (usd: number | undefined): string => showCell(usd, "amount", plainStyle).text;

function rowOf(
  { asset, symbol, row, listedVolume }: Candidate,
  number: number,
  isMeasured: boolean,
  countsZeros: boolean,
): Readonly<Record<string, string>> {
  const [name, created] = [member(row, "dex_name") ?? member(row, "name"), member(row, "created_at")];
  return {
    "#": String(number),
    symbol,
    name: labelText(typeof name === "string" ? name : "").slice(0, 24),
    network: asset.network,
    price_USD: showCell(numberIn(row, "price_usd"), "price", { ...plainStyle, countsZeros }).text,
    ...(isMeasured
      ? { liquidity: amount(numberIn(row, "liquidity_usd")), volume: amount(numberIn(row, "volume_usd")) }
      : { volume_of_listed_pools: amount(listedVolume) }),
    created: typeof created === "string" ? created.slice(0, 10) : "",
    address: asset.address,
  };
}

/** If the name cannot be stored, the choice is still used. */
async function keepName(
  { context, options }: Run,
  { typed }: RunInput,
  { word }: WantedAsset,
  asset: NamedAsset,
): Promise<void> {
  const name = word.toLowerCase();
  const service = new Map([...typed].filter(([flag]) => ["sandbox", "seed", "base-url"].includes(flag)));
  const undo = ["dexdata name remove", name, ...flagWords(service)].join(" ");
  try {
    await setAssetName(context, nameServiceOf(options), name, asset);
    await writeLine(context, `${name} is now a name of ${nameOf(asset)}; to undo: ${undo}`);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    await writeWarning(context, `the name "${name}" was not stored: ${cause.message}`);
  }
}
