import type { Exchange } from "../../client/client.ts";
import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { createNotices, type Notices } from "../notices.ts";
import { openClient, type OpenClient } from "../open-client.ts";
import { expectWords } from "../output/local-output.ts";
import { readRunOptions, type RunOptions } from "../run-options.ts";
import { say } from "../say.ts";
import type { FlagValues } from "../flags/flags.ts";
import { checkConfig, checkCredentials, checkState } from "./files.ts";
import type { Finding } from "./finding.ts";
import { checkHost } from "./hosts.ts";
import { checkKey, ofSandbox } from "./key.ts";
import { checkCertificates, checkTerminal, checkVersions } from "./machine.ts";
import { checkProxy } from "./proxy.ts";
import { hostsOf } from "../commands/find-plan.ts";
import { checkBudget, checkPace } from "./rates.ts";
import { checkAnswer } from "./service.ts";
import { showFindings } from "./show-findings.ts";
import { checkStream } from "./stream.ts";

/** Milliseconds for a stream's first byte: the service pings every 15 s. */
const longestSilence = 20_000;

/** Checks what a command stands on, one line a check; ends with the code that the first failure means. */
export async function doctor(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "doctor [flags]");
  const show = showFindings(context, flags);
  await show.add([checkVersions(), checkTerminal(context), ...checkCertificates(context)]);
  const config = checkConfig(context);
  await show.add([config, checkCredentials(context), await checkState(context)]);
  // Without settings nobody knows whom to ask.
  if (config.result !== "fail") await checkService(context, flags, show.add);
  return await show.end();
}

async function checkService(
  context: Context,
  flags: FlagValues,
  add: (findings: readonly Finding[]) => Promise<void>,
): Promise<void> {
  const options = {
    ...readRunOptions(flags, context),
    retry: { retries: 0, retryOn: new Set<number>(), maxTime: 0 },
  };
  if (options.sandbox === undefined) {
    const key = await checkKey(context, options);
    await add([key]);
    if (key.result === "fail") return await add(await reachable(context, options));
  }
  const exchanges: Exchange[] = [];
  const open = await openClient(context, options, silentNotices(context, options, exchanges), 1);
  try {
    await checkTarget(context, flags, options, { open, exchanges }, add);
  } finally {
    await open.close();
  }
}

/** Without a key that can be sent nothing is asked; whether the hosts are there can be told all the same. */
async function reachable(context: Context, options: RunOptions): Promise<readonly Finding[]> {
  const { rest, streaming } = hostsOf(options, options.settings.tier.value ?? "keyless");
  const { timeout } = options;
  const proxy = checkProxy(context, [rest, streaming]);
  if (proxy.result === "fail") return [proxy];
  const reached = await Promise.all([
    checkHost(context, "rest", rest, timeout),
    checkHost(context, "streaming", streaming, timeout),
  ]);
  return [proxy, ...reached.flat()];
}

async function checkTarget(
  context: Context,
  flags: FlagValues,
  options: RunOptions,
  { open, exchanges }: { readonly open: OpenClient; readonly exchanges: readonly Exchange[] },
  add: (findings: readonly Finding[]) => Promise<void>,
): Promise<void> {
  const { target } = open.client;
  const { timeout } = options;
  if (target.isSimulated) await add([ofSandbox(target)]);
  const proxy = checkProxy(context, [target.rest, target.streaming]);
  await add([
    ...(target.isSimulated ? [] : [checkPace(context, options, target)]),
    ...checkBudget(context, options, target),
    proxy,
  ]);
  // Nobody knows whom to ask on the way.
  if (proxy.result === "fail") return;
  const isStreamed = flags["no-stream"] !== true;
  if (!target.isSimulated)
    await say(
      context,
      isStreamed
        ? "asking once and listening for one event: 2 credits at most"
        : "asking once: 1 credit at most",
    );
  const began = context.clock.elapsed();
  // The sandbox's time begins at --now, and passes.
  const now = (): number =>
    target.isSimulated ? options.now + (context.clock.elapsed() - began) : context.clock.now();
  const [rest, stream] = [
    afterReaching(
      checkHost(context, "rest", target.rest, timeout),
      async () => await checkAnswer(open, exchanges, now),
    ),
    isStreamed
      ? afterReaching(checkHost(context, "streaming", target.streaming, timeout), async () => [
          await checkStream(context, open, Math.min(timeout, longestSilence)),
        ])
      : Promise.resolve([]),
  ];
  // Were the first one to fail, nobody would look at the second any more.
  stream.catch(() => undefined);
  await add(await rest);
  await add(await stream);
}

async function afterReaching(
  reached: Promise<readonly Finding[]>,
  then: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const findings = await reached;
  return findings.some(({ result }) => result === "fail") ? findings : [...findings, ...(await then())];
}

/** What a run would warn of is a finding here; the requests are kept for what they tell. */
function silentNotices(context: Context, options: RunOptions, exchanges: Exchange[]): Notices {
  const notices = createNotices(context, options);
  return {
    ...notices,
    warn: () => undefined,
    answered: (exchange) => {
      exchanges.push(exchange);
      notices.answered(exchange);
    },
  };
}
