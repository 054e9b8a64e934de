import { readArgs, type Typed } from "../../../api/args.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { usageFailure } from "../../../base/failure.ts";
import type { TokensOfPool } from "../../../client/list-plan.ts";
import { addressKey } from "../../../client/subject.ts";
import type { TypedFlags } from "../../run/flags/flag.ts";

/** Undefined unless a flag has several different values. Each of them is checked like a single one. */
export function readSeveralTokens(
  endpoint: Endpoint,
  given: TypedFlags,
  args: Typed,
  { now, maxRowsRead }: { readonly now: number; readonly maxRowsRead: number | undefined },
): TokensOfPool | undefined {
  const param = endpoint.params.find(({ several }) => several !== undefined);
  if (param?.flag === undefined || maxRowsRead === undefined) return undefined;
  const typed = (given.get(param.flag) ?? []).flatMap((text) => text?.split(",") ?? []);
  const distinct = new Map(typed.map((text) => [addressKey(text), text]));
  if (distinct.size < 2) {
    if (!given.has("max-rows-read")) return undefined;
    throw usageFailure(`--max-rows-read requires several tokens`, `repeat --${param.flag}`);
  }
  if (distinct.size > (param.several ?? 0))
    throw usageFailure(
      `--${param.flag}: at most ${param.several} tokens are accepted, but ${distinct.size} were given`,
    );
  if (given.has("cursor"))
    throw usageFailure("--cursor cannot be used with several tokens", "use --limit or --all");
  // The request, the checkpoint and the rows do not depend on the order.
  const tokens = [...distinct.keys()].toSorted();
  for (const token of tokens) readArgs(endpoint, new Map([...args, [param.name, token]]), now);
  return { param: param.name, tokens, maxRowsRead };
}
