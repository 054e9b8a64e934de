import { batchParam, traitsOf } from "../../../api/reply.ts";
import { readArgs, type Typed } from "../../../api/args.ts";
import { type Endpoint, rowShape } from "../../../api/endpoint.ts";
import { fail, invalidInput, usageFailure } from "../../../base/failure.ts";
import { path } from "../../../api/param.ts";
import { inputName, readParam } from "../../../api/read-param.ts";
import { takesAddress, takesNetwork } from "./positionals.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import { unknownNameHint, waysToSearch } from "../../run/asset-names.ts";
import type { AssetSources } from "../../run/with-run.ts";
import { counted } from "../../../base/text/words.ts";
import { isAssetName } from "../../settings/asset-names.ts";
import { readSubjects } from "./subjects.ts";
import { distinctSubjects, type Subject } from "../../../client/subject.ts";
import { formatInstant, parseTimeBound, SECONDS_PER_DAY, wireOf } from "../../../base/time/time.ts";
import { type Days, endOfRange, parseDays } from "../../../base/time/days.ts";
import { hasColumns } from "../../render/formats/formats.ts";
import { splitPath } from "../../render/values/row-text.ts";
import { fieldAt } from "../../render/values/value-at.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { intervalSeconds } from "../../../client/candle-windows.ts";

/** What one pull asks for. */
interface Target {
  readonly args: Typed;
  readonly subject: Subject | undefined;
}

export async function readTargets(
  endpoint: Endpoint,
  words: readonly string[],
  sources: AssetSources,
  usage: string,
): Promise<readonly Target[]> {
  const [first] = words;
  if (endpoint.words !== undefined) {
    if (first === undefined) throw usageFailure("missing <query>: a name, symbol or address", usage);
    return [{ args: new Map([[endpoint.words, words.join(" ")]]), subject: undefined }];
  }
  if (!takesAddress(endpoint)) {
    if (words.length > 1 || (words.length === 1 && !takesNetwork(endpoint))) {
      throw usageFailure(`unexpected argument "${words.at(-1)}"`, usage);
    }
    if (first === undefined && takesNetwork(endpoint)) throw usageFailure("missing <network>", usage);
    // A slug has no capital letters.
    if (first !== undefined && /\p{Lu}/u.test(first) && isAssetName(first))
      throw fail("unknown_name", `unknown name "${first}"`, {
        next: unknownNameHint(first, waysToSearch(first, endpoint.command)),
      });
    return [{ args: new Map(first === undefined ? [] : [["network", first]]), subject: undefined }];
  }
  const takes = endpoint.path.includes("{pool_address}") ? "pool" : "token";
  const subjects = await readSubjects(words, sources, {
    command: endpoint.command,
    takes,
    ifOtherKind: endpoint.ifOtherKind,
    malformed: "fail",
    usage,
  });
  const named = addressName(endpoint);
  return (traitsOf(endpoint.reply).isPerAsset ? withoutRepeats(subjects, sources) : subjects).map(
    (subject) => ({
      args: new Map(Object.entries({ network: subject.network, [named]: subject.address })),
      subject,
    }),
  );
}

/** Reading the same list again would cost credits and give the same rows. */
function withoutRepeats(subjects: readonly Subject[], { warn }: AssetSources): readonly Subject[] {
  const distinct = distinctSubjects(subjects);
  const repeated = subjects.length - distinct.length;
  if (repeated > 0) warn(`skipping ${counted(repeated, "repeated asset")}`);
  return distinct;
}

/** Some flags make sense only for a single list of rows. */
export function checkOneAsset(
  { command, reply }: Endpoint,
  count: number,
  { chart, watch, cursor }: Pick<Values<EndpointFlags>, "chart" | "watch" | "cursor">,
): void {
  if (count < 2 || !traitsOf(reply).isPerAsset) return;
  const given = { chart, watch, cursor };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (flag === undefined) return;
  throw usageFailure(
    `--${flag} cannot be used with several assets: ${command} was given ${count}`,
    `use one asset, or leave out --${flag}`,
  );
}

export function addressName(endpoint: Endpoint): string {
  const inPath = endpoint.params.find(({ place, name }) => place === "path" && name !== "network");
  return batchParam(endpoint.reply) ?? inPath?.name ?? "";
}

/** A batch sends many addresses in one parameter, but each one is checked like an address in a path. */
export function checkInBatch(endpoint: Endpoint, { args, subject }: Target, now: number): void {
  const address = subject?.address ?? "";
  if (address.includes(","))
    throw invalidInput(`<address> "${address}"`, "must be one address; separate addresses with spaces");
  readParam(path("address", { kind: "address", of: "token" }, ""), address, now);
  readArgs(endpoint, args, now);
}

/** The parameters that flags set, as typed; `days` are those of `--day`. */
export function typedParams(
  endpoint: Endpoint,
  given: TypedFlags,
  days: Days | undefined,
  options: Pick<RunOptions, "now" | "format" | "fields">,
): Map<string, string> {
  const typed = new Map<string, string>();
  for (const { name, flag } of endpoint.params) {
    const texts = flag === undefined ? undefined : given.get(flag);
    if (texts !== undefined) typed.set(name, texts.at(-1) ?? "true");
    if (days !== undefined && flag === "from") typed.set(name, wireOf(days.from));
    if (days !== undefined && flag === "to") typed.set(name, wireOf(endOfRange(days, options.now)));
  }
  if (showsDetails(endpoint, options)) typed.set("detailed", "true");
  return typed;
}

/** As errors show them, e.g. `--from "-40d" (2026-10-12T08:54:00Z)`. Other inputs than `--from` can set the start. */
export function shownInputs(
  { params }: Endpoint,
  typed: Typed,
  day: string | undefined,
  now: number,
): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  for (const param of params) {
    const { name, flag, kind } = param;
    const text = typed.get(name);
    if (text === undefined) continue;
    const isOfDay = day !== undefined && (flag === "from" || flag === "to");
    const input = isOfDay ? `--day "${day}"` : `${inputName(param)} "${text}"`;
    const time = kind.kind === "time" ? parseTimeBound(text, now) : undefined;
    shown.set(name, time === undefined || "problem" in time ? input : `${input} (${formatInstant(time)})`);
    if (name === "count_back") shown.set("start", input);
  }
  return shown;
}

export function readDays(typed: string | undefined, given: TypedFlags, now: number): Days | undefined {
  if (typed === undefined) return undefined;
  const days = parseDays(typed, now);
  if ("problem" in days) throw invalidInput(`--day "${typed}"`, days.problem, days.next);
  if (intervalSeconds(given.get("interval")?.at(-1) ?? "1h") > SECONDS_PER_DAY)
    throw usageFailure("--day cannot be used with candles longer than a day", "use --from and --to");
  return days;
}

/** Details are needed for a field that the user named or for the default columns. */
function showsDetails(
  endpoint: Endpoint,
  { fields, format }: Pick<RunOptions, "fields" | "format">,
): boolean {
  if (endpoint.params.every(({ name }) => name !== "detailed")) return false;
  // Plain rows from the public service do not contain names and symbols, and a table without them is hard to read.
  if (fields === undefined) return hasColumns(format);
  const { record } = rowShape(endpoint);
  return fields
    .map(splitPath)
    .some((parts) => parts.some((_, index) => fieldAt(record, parts.slice(0, index + 1))?.isDetail === true));
}
