import { batchParam, traitsOf } from "../../../api/reply.ts";
import { readArgs, type Typed } from "../../../api/args.ts";
import type { Endpoint } from "../../../api/endpoint.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { path } from "../../../api/param.ts";
import { readParam } from "../../../api/read-param.ts";
import { takesAddress, takesNetwork } from "./positionals.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { AssetSources } from "../../run/asset-names.ts";
import { counted } from "../../../base/text/counted.ts";
import { isAssetName } from "../../settings/asset-names.ts";
import { readSubjects } from "./subjects.ts";
import { distinctSubjects, type Subject } from "../../../client/subject.ts";

/** What one pull asks for. */
export interface Target {
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
      throw sources.names.unknown(first, undefined, undefined);
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
export function checkedSubject(endpoint: Endpoint, now: number): (target: Target) => Subject {
  return ({ args: typed, subject }) => {
    const address = subject?.address ?? "";
    if (address.includes(","))
      throw invalidInput(`<address> "${address}"`, "must be one address; separate addresses with spaces");
    readParam(path("address", { kind: "address", of: "token" }, ""), address, now);
    const args = readArgs(endpoint, typed, now);
    return { ...subject, network: args.get("network") ?? "", address };
  };
}
