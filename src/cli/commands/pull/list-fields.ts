import type { Context } from "../../../base/context/context.ts";
import { type Endpoint, type FieldAtPath, fieldPaths, rowShape } from "../../../api/endpoint.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { type FieldType, type Reading, noPriceReasons, tradeTypes } from "../../../api/record.ts";
import { namedColumns } from "../../render/table/choose-columns.ts";
import { chooseEndpoint, groupsOf, withAddedFields } from "../input/pull-plan.ts";
import type { Input } from "../command.ts";
import { type EndpointFlags, isTimed } from "../flags/endpoint-flags.ts";
import { timedPrices } from "../../../api/endpoints/prices.ts";
import type { LocalOutputFlags } from "../../run/flags/shared-flags.ts";
import { formatOf, writeRows } from "../../run/output/local-output.ts";

/** For `--fields '?'` and `--columns '?'`. Does not require a request or any arguments. */
export async function listNamesOf(
  asked: "fields" | "columns",
  endpoints: readonly Endpoint[],
  { words, flags, typed }: Input<EndpointFlags>,
  context: Context,
): Promise<ExitCode> {
  const usual = chooseEndpoint(endpoints, typed, words.length > 0);
  const isQuoted = typed.has("in") || typed.has("pool");
  const hasTimes = typed.has("at-field") || (flags.at ?? []).length > 1;
  const chosen = isTimed(usual, typed) ? timedPrices({ isQuoted, hasTimes }, usual.plan) : usual;
  // Tables show amounts in tokens anyway, so the flag adds no columns to them.
  const hasAmounts =
    flags.amounts === "tokens" && (asked === "fields" || formatOf(context, flags) !== "table");
  const endpoint = withAddedFields(chosen, hasAmounts, typed);
  const groups = groupsOf(endpoint, flags);
  if (asked === "fields") return await listFields(context, flags, endpoint, groups);
  const rows = groups.flatMap((group) =>
    namedColumns(rowShape(endpoint, group)).map((column) => ({
      ...(groups.length > 1 && { group }),
      ...column,
    })),
  );
  return await writeRows(context, flags, rows);
}

/** If the response is shown unchanged, `within` returns the path to a row in it. */
export async function listFields(
  context: Context,
  flags: LocalOutputFlags,
  endpoint: Endpoint,
  groups: readonly string[],
  within: (group: string) => string = () => "",
): Promise<ExitCode> {
  const rows = groups.flatMap((group) =>
    fieldPaths(rowShape(endpoint, group)).map((each) => ({
      ...(groups.length > 1 && { group }),
      field: within(group) + each.path,
      type: typeNames[each.field.type.kind] ?? each.field.type.kind,
      meaning: meaningOf(each),
      given: givenWhen(each),
    })),
  );
  return await writeRows(context, flags, rows);
}

/** The types and readings whose names would not explain them. */
const typeNames: Partial<Record<FieldType["kind"], string>> = {
  text: "string",
  "number-or-text": "string or number",
  record: "object",
};

const readings: Partial<Record<Reading, string>> = {
  text: "",
  time: "RFC 3339, UTC",
  duration: "in seconds",
  "yes-no": "",
  "trade-type": tradeTypes.join(", "),
  "no-price-reason": Object.keys(noPriceReasons).join(", "),
  mark: "present only if true",
};

function meaningOf({ path, field }: FieldAtPath): string {
  if (field.type.kind === "list") return "index from 0, or * for all";
  if (field.type.kind === "number-or-text" && field.reads === "text") return "in the token's smallest unit";
  const name = path.slice(path.lastIndexOf(".") + 1);
  const isMoney = field.reads === "price" || field.reads === "amount";
  const reading = readings[field.reads] ?? field.reads;
  if (field.isInTokens) return `${reading} in tokens`;
  return isMoney && IN_USD.test(name) ? `${reading} in USD` : reading;
}

const IN_USD = /usd|fdv|volume/;

function givenWhen({ field, isOptional, isAdded }: FieldAtPath): string {
  if (isAdded) return "added by dexdata";
  if (field.nullable) return "may be null or absent";
  return isOptional ? "may be absent" : "always";
}
