import type { DisturbedList } from "../disturbed-lists.ts";
import { json, type Script } from "../scripted-server.ts";
import { foreignUrl } from "./draw-strikes.ts";
import { type Fault, faultyReply } from "./faults.ts";

/** For each URL, the faults of the first responses to it. */
export type PlannedFaults = ReadonlyMap<string, readonly Fault[]>;

/** Passes requests on to a service, and records what was wrong with its responses. */
export function createFaultyService(service: () => string) {
  const begin = (
    foreign: DisturbedList["foreign"],
    trace: readonly string[] = [],
    planned: PlannedFaults = new Map(),
    arrived: (requests: number) => void = () => {},
  ) => ({
    foreign,
    trace,
    planned,
    arrived,
    requested: [] as string[],
    exchanges: [] as { readonly url: string; readonly body: string }[],
    /** For example, `stale@3#2` for the second response to the fourth URL. */
    faults: [] as string[],
  });
  let run = begin(["", ""]);

  const script: Script = async ({ url, headers: { authorization = "" } }) => {
    const { foreign, trace, planned, arrived, requested, exchanges, faults } = run;
    const attempt = requested.filter((each) => each === url).length;
    arrived(requested.push(url));
    const ask = async (target: string | undefined): Promise<string | undefined> => {
      if (target === undefined) return undefined;
      const response = await fetch(`${service()}${target}`, { headers: { authorization } });
      const body = await response.text();
      return response.ok ? body : undefined;
    };
    const body = await ask(url);
    if (body === undefined) return json({ error: "invalid_param", message: "no" }, { status: 400 });
    exchanges.push({ url, body });
    const fault = planned.get(url)?.[attempt];
    const material = { url, body, trace, foreign: foreignUrl(url.replace(...foreign)), ask };
    const reply = fault && (await faultyReply(fault, material));
    if (reply === undefined) return json(body);
    faults.push(`${fault?.kind}@${trace.indexOf(url)}#${attempt + 1}`);
    return reply;
  };

  return {
    script,
    begin: (...args: Parameters<typeof begin>) => (run = begin(...args)),
  };
}
