import { isLoopback } from "../../../api/host.ts";
import type { Target } from "../../../client/connection/target.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { serviceOf } from "../pull/pull-query.ts";

/** Local servers, such as `dexdata sandbox`, may get another port each time. */
export function serviceName(
  options: RunOptions,
  { isSimulated, rest }: Pick<Target, "isSimulated" | "rest">,
): string {
  const isLocal = !isSimulated && isLoopback(new URL(rest).hostname);
  return isLocal ? "a local server" : serviceOf(options);
}
