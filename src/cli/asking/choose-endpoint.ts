import type { Endpoint } from "../../contract/endpoint.ts";
import { usageFailure } from "../../contract/failure.ts";
import type { Param } from "../../contract/param.ts";
import type { FlagValues } from "../flags/flags.ts";
import { takesNetwork } from "./positionals.ts";

/**
 * Which of a command's endpoints is asked: the one whose own flag was given (`ohlcv --pool`), else by whether a
 * network was named (`pools search [network]`). A flag that only another of them has is refused: the service would
 * drop it without a word.
 */
export function chooseEndpoint(group: readonly Endpoint[], flags: FlagValues, hasNetwork: boolean): Endpoint {
  const byFlag = group.find(({ chosenBy }) => chosenBy !== undefined && flags[chosenBy] !== undefined);
  const usual = group.filter(({ chosenBy }) => chosenBy === undefined);
  const chosen = byFlag ?? usual.find((endpoint) => takesNetwork(endpoint) === hasNetwork) ?? usual[0];
  if (chosen === undefined) throw new Error("a command without an endpoint");
  for (const other of group) {
    const foreign = other.params.find((param) => isGiven(param, flags) && !hasFlag(chosen, param.flag));
    if (foreign !== undefined) throw foreignFlag(foreign, other, hasNetwork);
  }
  return chosen;
}

function isGiven(param: Param, flags: FlagValues): boolean {
  return param.flag !== undefined && flags[param.flag] !== undefined;
}

function hasFlag(endpoint: Endpoint, flag: string | undefined): boolean {
  return endpoint.params.some((param) => param.flag === flag);
}

function foreignFlag(param: Param, owner: Endpoint, hasNetwork: boolean): Error {
  if (owner.chosenBy !== undefined)
    return usageFailure(`--${param.flag}: goes with --${owner.chosenBy} only`);
  if (hasNetwork)
    return usageFailure(
      `--${param.flag}: searches several networks, but one is named`,
      "leave out the one or the other",
    );
  return usageFailure(
    `--${param.flag}: needs a network, because the search across networks ignores it`,
    `dexdata ${owner.command} <network> --${param.flag} …`,
  );
}
