import { type Args, withRepeated } from "../../contract/args.ts";
import type { Endpoint } from "../../contract/endpoint.ts";

/** Credits of one request. A batch costs one an item (specification, Endpoints), anything else one a request. */
export function costOf(endpoint: Endpoint, args: Args): number {
  if (endpoint.reply.kind !== "batch") return 1;
  return (withRepeated(endpoint, args).get(endpoint.reply.param) ?? "").split(",").length;
}
