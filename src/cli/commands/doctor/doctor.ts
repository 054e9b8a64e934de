import type { Exchange } from "../../../client/client.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import { expectWords } from "../../run/output/local-output.ts";
import { writeLine } from "../../run/report.ts";
import type { RunInput } from "../../run/run-options.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { hostsOf } from "../auth/find-plan.ts";
import { checkAnswer, checkBudget, checkKey, checkPace, sandboxKey } from "./check-account.ts";
import { checkHost, checkProxy, checkStream } from "./check-hosts.ts";
import { machineChecks } from "./check-machine.ts";
import { findingsOf, type FindingsOutput, openFindings } from "./findings.ts";

interface DoctorInput extends RunInput {
  readonly flags: SharedValues & { readonly "no-stream": true | undefined };
}

export async function doctor(input: DoctorInput, outer: Context): Promise<ExitCode> {
  const { words, flags } = input;
  expectWords(words, 0, "doctor [flags]");
  const output = openFindings(outer, flags);
  let hasSettings = true;
  for (const [name, check] of Object.entries(machineChecks)) {
    const isOk = await output.check(name, () => check(outer));
    if (name === "config") hasSettings = isOk;
  }
  const isStreamed = flags["no-stream"] !== true;
  const work = async (run: Run): Promise<void> => await checkService(run, isStreamed, output);
  // The host is unknown if the settings are invalid.
  if (hasSettings) await withRun(input, outer, work);
  return await output.end();
}

async function checkService(run: Run, isStreamed: boolean, output: FindingsOutput): Promise<void> {
  const { context, options } = run;
  const { clock } = context;
  const hasKey =
    options.sandbox !== undefined ||
    (await output.check("key", async () => await checkKey(context, options)));
  if (!hasKey) {
    // No request is sent without a usable key, but the connections to the hosts can still be checked.
    const { rest, streaming } = hostsOf(options, options.settings.tier.value ?? "keyless");
    if (!(await output.check("proxy", () => checkProxy(context, { rest, streaming })))) return;
    const reached = [checkHost(run, "rest", rest), checkHost(run, "streaming", streaming)];
    for (const findings of await Promise.all(reached)) await output.add(findings);
    return;
  }
  const exchanges: Exchange[] = [];
  const open = await run.open({
    speed: 1,
    // Nothing is retried, because the first failure is already a finding.
    retry: { retries: 0, retryOn: new Set(), outlastsOutages: false, maxTime: 0 },
    // Warnings from the run become findings. The checks use the recorded requests.
    observer: {
      warn: () => undefined,
      print: () => undefined,
      info: () => undefined,
      applied: () => undefined,
      answered: (exchange) => void exchanges.push(exchange),
    },
    onClosed: () => undefined,
  });
  const { target } = open.client;
  const { isSimulated } = target;
  if (isSimulated) await output.check("key", () => sandboxKey(target));
  else {
    await output.check("pace", () => checkPace(context, options, target));
    await output.check("budget", async () => await checkBudget(context, options, target));
  }
  // No host can be reached through an invalid proxy.
  if (!(await output.check("proxy", () => checkProxy(context, target)))) return;
  const costs = isStreamed ? "checking the service: up to 2 credits" : "checking the service: up to 1 credit";
  if (!isSimulated) await writeLine(context, costs);
  const began = clock.elapsed();
  // In the sandbox, time starts at --now and then advances.
  const now = (): number => (isSimulated ? options.now + (clock.elapsed() - began) : clock.now());
  const rest = checkHost(run, "rest", target.rest, async () => await checkAnswer(open, exchanges, now));
  const streaming = isStreamed
    ? checkHost(
        run,
        "streaming",
        target.streaming,
        async () => await findingsOf("stream", async () => await checkStream(context, open, options.timeout)),
      )
    : Promise.resolve([]);
  // If the first check throws, a failure in the second must not become an unhandled rejection.
  streaming.catch(() => undefined);
  await output.add(await rest);
  await output.add(await streaming);
}
