import type { Context } from "../../context/context.ts";
import { type Endpoint, onlyGroup } from "../../contract/endpoint.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { usageFailure } from "../../contract/failure.ts";
import { listNameOf } from "../../contract/reply.ts";
import type { FlagValues } from "../flags/flags.ts";
import { listFields } from "../output/list-fields.ts";
import { rawCall } from "./raw-call.ts";
import { readRawPath } from "./raw-path.ts";

/** `--fields ?` of a path: of its rows, or of the whole answer where that is what is shown. */
export async function listRawFields(
  [path]: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  if (path === undefined) throw usageFailure("a path of the service is needed", "usage: dexdata api <path>");
  const { endpoint } = rawCall(readRawPath(path), []);
  if (endpoint.id === "raw") {
    throw usageFailure(
      `--fields ?: dexdata knows no fields of ${endpoint.rawPath}`,
      "look at an answer of it",
    );
  }
  const { reply } = endpoint;
  const groups = reply.kind === "groups" ? reply.groups : [onlyGroup];
  const isWhole = flags["paginate"] !== true;
  return await listFields(context, flags, endpoint, groups, (group) =>
    isWhole ? pathToRow(endpoint, group) : "",
  );
}

function pathToRow({ reply }: Endpoint, group: string): string {
  const list = listNameOf(reply, group);
  return list === undefined ? "" : `${list}.0.`;
}
