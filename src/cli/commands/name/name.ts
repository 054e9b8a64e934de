import { nearestNetwork, wellKnownNetworks, isAssetName, nameForm } from "../../../api/known-networks.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { invalidInput, usageFailure } from "../../../base/failure.ts";
import { anAsset, refuseUrl } from "../../../api/read-param.ts";
import { refuseKey } from "../../../client/target.ts";
import { addressKey, nameOf } from "../../../client/subject.ts";
import { isKnownNetwork, readAssetNames, setAssetName } from "../../run/asset-names.ts";
import { expectWords, writeRows } from "../../run/output/local-output.ts";
import { writeLine, writeWarning } from "../../run/report.ts";
import { nameServiceOf, readRunOptions, type RunInput } from "../../run/run-options.ts";
import { checkWord, splitPair } from "../input/subjects.ts";

function serviceIn(input: RunInput, context: Context): string {
  return nameServiceOf(readRunOptions(input, context));
}

export async function add(input: RunInput, context: Context): Promise<ExitCode> {
  const usage = "name add <name> <network:address>";
  expectWords(input.words, 2, usage);
  const [name = "", word = ""] = input.words;
  refuseKey(name, undefined);
  const slug = name.toLowerCase();
  if (!isAssetName(name) || slug === "help") throw invalidInput(`<name> "${name}"`, nameForm);
  if (isKnownNetwork(context, slug))
    throw usageFailure(`"${name}" is a network`, `give it another name: ${slug}-token`);
  refuseUrl(`<network:address> "${word}"`, word, anAsset);
  const pair = splitPair(word);
  if (pair === undefined)
    throw invalidInput(`<network:address> "${word}"`, "must be network:address", `usage: dexdata ${usage}`);
  const { network, address } = pair;
  // A pool's form is also that of a token.
  checkWord({ network, address }, "pool");
  const near = isKnownNetwork(context, network) ? undefined : nearestNetwork(network, wellKnownNetworks);
  if (near !== undefined)
    await writeWarning(context, `"${network}" is not a known network; did you mean ${near}?`);
  const asset = { network, address: addressKey(address), kind: undefined };
  await setAssetName(context, serviceIn(input, context), name, asset, input.flags.force === true);
  if (context.stderr.isTerminal) await writeLine(context, `${slug} is ${nameOf(asset)}`);
  return 0;
}

export async function list(input: RunInput, context: Context): Promise<ExitCode> {
  expectWords(input.words, 0, "name list");
  const names = readAssetNames(context, serviceIn(input, context));
  if (names.size === 0 && context.stderr.isTerminal)
    await writeLine(context, "no names; add one: dexdata name add <name> <network:address>");
  const sorted = [...names].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const rows = sorted.map(([name, { kind = "", ...asset }]) => ({ name, ...asset, kind }));
  return await writeRows(context, input.flags, rows);
}

export async function remove(input: RunInput, context: Context): Promise<ExitCode> {
  expectWords(input.words, 1, "name remove <name>");
  const [name = ""] = input.words;
  const existed = await setAssetName(context, serviceIn(input, context), name, undefined);
  if (!existed) await writeWarning(context, `"${name}" is not a name`);
  else if (context.stderr.isTerminal) await writeLine(context, `removed the name ${name.toLowerCase()}`);
  return 0;
}
