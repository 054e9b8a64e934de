import { isDocument, plainList } from "../../../client/list-plan.ts";
import type { Position } from "../../../client/page.ts";
import { type Endpoint, onlyGroup, rowShape, type Args, type ApiRequest } from "../../../api/endpoint.ts";
import { usageFailure } from "../../../base/failure.ts";
import { formats, hasColumns, namesColumns } from "../../render/formats/formats.ts";
import { readInteger, readParam } from "../../../api/read-param.ts";
import {
  type PagedReply,
  continuesByTime,
  groupsIn,
  isNumbered,
  isPaged,
  listNameOf,
  traitsOf,
} from "../../../api/reply.ts";
import { expectWords } from "../../run/output/local-output.ts";
import type { Input } from "../command.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { ApiFlags } from "./api-flags.ts";
import { positionOf, type PullPlan } from "../input/pull-plan.ts";
import { rawCall, readRawPath } from "./raw-call.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { runPull } from "../pull/run-pull.ts";
import { listFields } from "../pull/list-fields.ts";
import { checkFields } from "../../render/formats/missing-fields.ts";

type Flags = Values<ApiFlags>;
type Options = Pick<RunOptions, "format" | "fields" | "isValidated" | "settings" | "now">;

/** Requests any path on the service. Otherwise, it behaves like every other command. */
export async function api(input: Input<ApiFlags>, outer: Context): Promise<ExitCode> {
  if (input.typed.get("fields")?.at(-1) === "?") return await listRawFields(input, outer);
  return await runPull({ command: ["api", ...input.words], ...input }, outer, (options) =>
    Promise.resolve(readRawQuestions(input, options)),
  );
}

function readRawQuestions({ words, flags }: Input<ApiFlags>, options: Options): PullPlan {
  expectWords(words, 1, "api <path> [-f name=value …]");
  const [path = ""] = words;
  if (formats[options.format].binary !== undefined)
    throw usageFailure(
      `--out "${flags.out}": ${options.format} cannot be used with api, which does not know the types of a path`,
      "use the command for this path, or another format",
    );
  const request = rawCall(readRawPath(path), flags.field);
  const plan =
    flags.paginate === true ? allPages(request, flags, options) : oneAnswer(request, flags, options);
  const { endpoint, groups, list } = plan;
  if (!isDocument(list) && isInContract(endpoint))
    checkFields(
      options.fields,
      groups.map((group) => rowShape(endpoint, group)),
    );
  return plan;
}

function oneAnswer(request: ApiRequest, flags: Flags, options: Options): PullPlan {
  const { endpoint, args } = request;
  const once = showsRows(endpoint, options) ? "rows" : "document";
  // The columns of a path outside the contract are unknown and must not depend on the first response.
  if (once === "document" && namesColumns(options.format) && options.fields === undefined)
    throw usageFailure(
      `--output ${options.format}: no columns are known for ${endpoint.raw?.path}`,
      "choose fields: --fields id,…",
    );
  if (options.isValidated && once === "document") throw notValidated(endpoint);
  const { reply } = endpoint;
  return {
    endpoint,
    argSets: [args],
    limit: undefined,
    list: { ...plainList(0, isStrict(flags)), kind: "once", as: once },
    groups: (once === "rows" ? groupsIn(reply) : undefined) ?? [onlyGroup],
    missing: "skip",
    isRecord: traitsOf(reply).isRecord,
    named: [],
  };
}

const isStrict = (flags: Flags): boolean => flags["no-strict"] !== true;

/** A table needs rows, and so does validation, which applies only if the response contains nothing else. */
function showsRows(endpoint: Endpoint, { format, isValidated }: Options): boolean {
  if (!isInContract(endpoint)) return false;
  return hasColumns(format) || (isValidated && traitsOf(endpoint.reply).isAllRows);
}

const isInContract = ({ raw }: Endpoint): boolean => raw?.isInContract === true;

function notValidated(endpoint: Endpoint): Error {
  return isInContract(endpoint)
    ? usageFailure(
        "--validate requires rows, but the response is printed as one document",
        "add --paginate, or -o table",
      )
    : usageFailure(`--validate: no schema for ${endpoint.raw?.path}`, "remove --validate");
}

function allPages(request: ApiRequest, flags: Flags, options: Options): PullPlan {
  const { endpoint, args } = request;
  const { reply } = endpoint;
  if (!isPaged(reply)) {
    const what = isInContract(endpoint) ? "is not paginated" : "is not a list known to dexdata";
    throw usageFailure(`--paginate: ${endpoint.raw?.path} ${what}`, "remove --paginate");
  }
  const { limit } = flags;
  const usual = options.settings.page_size.value ?? Math.min(limit ?? reply.maxLimit, reply.maxLimit);
  const names = pagingNames(reply);
  const paging = new Map([...args].filter(([name]) => names.includes(name)));
  const rest = new Map([...args].filter(([name]) => !names.includes(name)));
  const pageSize = readPaging(paging, "limit", reply.maxLimit) ?? usual;
  return {
    endpoint,
    argSets: [withFixedTimes(endpoint, rest, options.now)],
    limit,
    list: { kind: "list", pageSize, isStrict: isStrict(flags), start: startOf(paging, reply) },
    groups: [onlyGroup],
    missing: "skip",
    isRecord: false,
    named: [],
  };
}

function pagingNames(reply: PagedReply): readonly string[] {
  if (!isNumbered(reply)) return ["limit", "cursor"];
  return continuesByTime(reply) ? ["limit", "page", "cursor"] : ["limit", "page"];
}

/** A relative time would shift between pages, so rows at the edges of the range could appear or disappear. */
function withFixedTimes({ params }: Endpoint, args: Args, now: number): Args {
  const times = params.filter(({ name, kind }) => kind.kind === "time" && args.has(name));
  return new Map([
    ...args,
    ...times.map((param) => [param.name, readParam(param, args.get(param.name) ?? "", now)] as const),
  ]);
}

function startOf(paging: Args, reply: PagedReply): Position | undefined {
  const [cursor, page] = [paging.get("cursor"), paging.get("page")];
  if (cursor !== undefined && page !== undefined) {
    throw usageFailure("--field cursor and --field page cannot be used together", "use only one of them");
  }
  const last = isNumbered(reply) ? (reply.handOverAfter ?? 1000) : 1;
  return positionOf(cursor, readPaging(paging, "page", last));
}

/** Values that only the service interprets are not checked. */
function readPaging(paging: Args, name: string, max: number): number | undefined {
  const typed = paging.get(name);
  if (typed === undefined) return undefined;
  return Number(readInteger(`--field ${name} "${typed}"`, typed, { min: 1, max }));
}

/** Lists the fields of the rows or, if the response is shown unchanged, of the complete response. */
async function listRawFields({ words: [path], flags }: Input<ApiFlags>, context: Context): Promise<ExitCode> {
  if (path === undefined) throw usageFailure("missing <path>", "usage: dexdata api <path>");
  const { endpoint } = rawCall(readRawPath(path), []);
  if (!isInContract(endpoint)) {
    throw usageFailure(
      `--fields ?: no fields are known for ${endpoint.raw?.path}`,
      `see a response: dexdata api ${endpoint.raw?.path}`,
    );
  }
  const { reply } = endpoint;
  const groups = groupsIn(reply) ?? [onlyGroup];
  return await listFields(context, flags, endpoint, groups, (group) => {
    const name = flags.paginate === true ? undefined : listNameOf(reply, group);
    return name === undefined ? "" : `${name}.0.`;
  });
}
