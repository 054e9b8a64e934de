import type { Exchange } from "../../client/client.ts";
import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import type { OpenClient } from "../../run/open-client.ts";
import { expectWords } from "../../run/output/local-output.ts";
import { say } from "../../run/report.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { hostsOf } from "../auth/find-plan.ts";
import { checkAnswer, checkBudget, checkKey, checkPace, sandboxKey } from "./check-account.ts";
import { checkHost, checkProxy, checkStream, type Hosts } from "./check-hosts.ts";
import { machineChecks } from "./check-machine.ts";
import { type Finding, findingsOf, type FindingsOutput, hasFailure, openFindings } from "./findings.ts";

interface DoctorInput {
  readonly words: readonly string[];
  readonly flags: SharedValues & { readonly "no-stream": true | undefined };
}

/** Checks everything a command needs, one line per check. Ends with the exit code of the first failure. */
export async function doctor({ words, flags }: DoctorInput, outer: Context): Promise<ExitCode> {
  expectWords(words, 0, "doctor [flags]");
  const output = openFindings(outer, flags);
  let hasSettings = true;
  for (const [name, check] of Object.entries(machineChecks)) {
    const findings = await findingsOf(name, () => check(outer));
    await output.add(findings);
    if (name === "config") hasSettings = !hasFailure(findings);
  }
  // Without valid settings, the host is unknown.
  if (hasSettings)
    await withRun(flags, outer, async (run) => await checkService(run, flags["no-stream"] !== true, output), {
      adjust: withoutRetries,
    });
  return await output.end();
}

/** The first failure is a finding, so nothing is retried. */
const withoutRetries = (options: RunOptions): RunOptions => ({
  ...options,
  retry: { retries: 0, retryOn: new Set<number>(), maxTime: 0 },
});

async function checkService(run: Run, isStreamed: boolean, output: FindingsOutput): Promise<void> {
  const { context, options, report } = run;
  if (options.sandbox === undefined) {
    const key = await findingsOf("key", async () => await checkKey(context, options));
    await output.add(key);
    if (hasFailure(key)) {
      // Without a usable key no request is sent, but the hosts can be reached all the same.
      const hosts = hostsOf(options, options.settings.tier.value ?? "keyless");
      const proxy = await findingsOf("proxy", () => checkProxy(context, hosts));
      await output.add(proxy);
      if (!hasFailure(proxy)) await checkHosts(run, hosts, { rest: none, streaming: none }, output);
      return;
    }
  }
  const exchanges: Exchange[] = [];
  const open = await run.open({
    speed: 1,
    // Warnings of a run are findings here. The checks read the requests.
    observer: {
      warn: () => undefined,
      tell: () => undefined,
      answered: (exchange) => {
        exchanges.push(exchange);
        report.answered(exchange);
      },
    },
    over: () => undefined,
  });
  await checkTarget(run, { open, exchanges, isStreamed }, output);
}

interface Opened {
  readonly open: OpenClient;
  readonly exchanges: readonly Exchange[];
  readonly isStreamed: boolean;
}

async function checkTarget(
  run: Run,
  { open, exchanges, isStreamed }: Opened,
  output: FindingsOutput,
): Promise<void> {
  const { context, options } = run;
  const { clock } = context;
  const { target } = open.client;
  const { isSimulated } = target;
  if (isSimulated) await output.add(await findingsOf("key", () => sandboxKey(target)));
  else {
    await output.add(await findingsOf("pace", () => checkPace(context, options, target)));
    await output.add(await findingsOf("budget", () => checkBudget(context, options, target)));
  }
  const proxy = await findingsOf("proxy", () => checkProxy(context, target));
  await output.add(proxy);
  // With an invalid proxy there is no way to any host.
  if (hasFailure(proxy)) return;
  const costs = isStreamed
    ? "asking once and listening for one event: 2 credits at most"
    : "asking once: 1 credit at most";
  if (!isSimulated) await say(context, costs);
  const began = clock.elapsed();
  // The sandbox's time starts at --now and passes.
  const now = (): number => (isSimulated ? options.now + (clock.elapsed() - began) : clock.now());
  const stream = async (): Promise<readonly Finding[]> =>
    await findingsOf("stream", async () => await checkStream(context, open, options.timeout));
  const next = {
    rest: async () => await checkAnswer(open, exchanges, now),
    streaming: isStreamed ? stream : undefined,
  };
  await checkHosts(run, target, next, output);
}

type NextCheck = (() => Promise<readonly Finding[]>) | undefined;

const none = async (): Promise<readonly Finding[]> => await Promise.resolve([]);

/** Checks both hosts at once, and continues with each that was reached. A host without a next check is left out. */
async function checkHosts(
  { context, options }: Run,
  hosts: Hosts,
  next: Readonly<Record<keyof Hosts, NextCheck>>,
  output: FindingsOutput,
): Promise<void> {
  const pending = (["rest", "streaming"] as const).map(async (name) => {
    const check = next[name];
    if (check === undefined) return [];
    const reached = await checkHost(context, name, hosts[name], options.timeout);
    return hasFailure(reached) ? reached : [...reached, ...(await check())];
  });
  // If the first one throws, the second would become an unhandled rejection.
  for (const each of pending) each.catch(() => undefined);
  for (const each of pending) await output.add(await each);
}
