import { namesIn } from "../../api/service-name.ts";
import type { RunOptions } from "./run-options.ts";

export type Hosts = Pick<RunOptions, "sandbox" | "baseUrl" | "settings">;

/** The free and paid hosts count as one service, so a pull can continue on a different plan. */
export function serviceOf({ sandbox, baseUrl, settings }: Hosts): string {
  if (sandbox !== undefined) return `the sandbox, --seed ${sandbox.seed}`;
  return namesIn(baseUrl ?? `${settings.base_url.value} ${settings.pro_base_url.value}`);
}
