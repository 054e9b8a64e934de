import { usageFailure } from "../../../base/failure.ts";
import { batchParam } from "../../../api/reply.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { takesAddress } from "../../../api/endpoint.ts";
import type { EndpointGroup, Input } from "../command.ts";
import { type EndpointFlags, type FollowedFlags, isTimed } from "../flags/endpoint-flags.ts";
import { isMeantAsTime } from "../input/subjects.ts";
import { type AssetPlaces, withoutNames } from "../input/targets.ts";
import { chooseEndpoint, readPlan } from "../input/pull-plan.ts";
import { runPull } from "../pull/run-pull.ts";

export async function runEndpoint(
  group: EndpointGroup,
  typed: Input<EndpointFlags>,
  outer: Context,
): Promise<ExitCode> {
  const hasAssets = group[0].words === undefined;
  const input = hasAssets ? await withoutNames(typed, outer, () => placesOf(group, typed)) : typed;
  const { watch } = input.flags;
  if (isFollowed(input)) return await (await import("../follow/follow.ts")).runFollow(group, input, outer);
  if (watch !== undefined)
    return await (await import("../watch/watch.ts")).runWatch(group, input, watch, outer);
  if (input.flags.metrics !== undefined) {
    const lasting = "follow" in input.flags ? "--watch or --follow" : "--watch";
    throw usageFailure("--metrics requires a run that lasts", `add ${lasting}, or remove --metrics`);
  }
  const command = [...group[0].command.split(" "), ...input.words];
  return await runPull({ command, ...input }, outer, async (options, sources) => {
    const isPast = isTimed(group[0], input.typed);
    const current = isPast ? undefined : await readPlan(group, input, options, sources);
    // Each line of a list can have a time where a label would be.
    const hasTimes = batchParam(group[0].reply) !== undefined && current?.named.some(isMeantAsTime) === true;
    if (current !== undefined && !hasTimes) return current;
    const { readTimedPlan } = await import("../prices/timed-plan.ts");
    return await readTimedPlan(input, options, sources, outer, current?.named);
  });
}

function placesOf(group: EndpointGroup, { words, typed }: Input<EndpointFlags>): AssetPlaces {
  const { command, path, ifOtherKind } = chooseEndpoint(group, typed, words.length > 0);
  const takes = path.includes("{pool_address}") || typed.has("pool") ? "pool" : "token";
  return { command, takes, ifOtherKind, words: takesAddress(group[0]) ? "all" : "none" };
}

const isFollowed = (input: Input<EndpointFlags>): input is Input<FollowedFlags> =>
  input.flags.follow === true;
