import { createClient } from "../../client/client.ts";
import { member } from "../../client/page.ts";
import type { Target } from "../../client/target.ts";
import { usage } from "../../endpoints/usage.ts";
import type { Context } from "../../model/context.ts";
import { type ExitCode, Failure, usageFailure } from "../../model/failure.ts";
import { checkKeyForm, maskKey } from "../../model/key.ts";
import { rawAt } from "../../model/raw-json.ts";
import { isTier, plans, type Tier } from "../../model/tier.ts";
import { readCredentials } from "../../settings/credentials.ts";
import { removeProfile, saveProfile } from "../../settings/edit-credentials.ts";
import { findKey } from "../../settings/find-key.ts";
import type { FlagValues } from "../flags.ts";
import { expectWords, writeRecord } from "../local-output.ts";
import { createNotices } from "../notices.ts";
import { readRunOptions, type RunOptions } from "../run-options.ts";

export async function login(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  if (words.length > 0) {
    throw usageFailure(
      "a key is never typed as a word: it would stay in the shell's history and show in the process list",
      "type it at the prompt of: dexdata auth login, or pipe it in",
    );
  }
  const options = readRunOptions(flags, context);
  const key = await readKey(context);
  const refused = checkKeyForm(key);
  if (refused !== undefined) throw usageFailure(`the key ${refused.problem}`, refused.next);
  const seen = await findPlan(context, options, key);
  const name = options.profile ?? options.settings.profile.value ?? "default";
  const { problem } = readCredentials(context);
  if (problem !== undefined)
    await context.stderr.write(`dexdata: ${problem}; it is kept aside and a new one written\n`);
  const { backup } = await saveProfile(
    context,
    name,
    { key, tier: seen.tier },
    { replaceBroken: problem !== undefined },
  );
  if (backup !== undefined) await context.stderr.write(`the old file: ${backup}\n`);
  const left = seen.creditsLeft === undefined ? "" : `, ${seen.creditsLeft} credits left`;
  await context.stderr.write(`stored as profile "${name}": ${seen.tier} plan${left}\n`);
  return 0;
}

export async function status(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "auth status");
  const options = readRunOptions(flags, context);
  const { found, warnings } = findKey(
    context,
    { keyFile: options.keyFile, profile: options.profile },
    options.settings,
  );
  const notices = createNotices(context, options);
  for (const warning of warnings) notices.warn(warning);
  const hosts = hostsOf(options, found?.tier ?? "keyless");
  const seen = await seenPlan(context, options, {
    ...hosts,
    key: found?.key,
    tier: found?.tier ?? "keyless",
  });
  await notices.settled();
  await writeRecord(context, flags, {
    key: found === undefined ? "none" : maskKey(found.key),
    source: found?.source,
    tier: found === undefined ? "keyless" : (found.tier ?? "not known: dexdata auth login asks the service"),
    "seen by the service": seen,
    "REST host": hosts.rest,
    "streaming host": hosts.streaming,
  });
  return 0;
}

export async function logout(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "auth logout");
  const options = readRunOptions(flags, context);
  const name = options.profile ?? options.settings.profile.value ?? readCredentials(context).active;
  const wasStored = await removeProfile(context, name);
  await context.stderr.write(
    wasStored ? `removed the key of profile "${name}"\n` : `no key is stored as profile "${name}"\n`,
  );
  return 0;
}

async function readKey(context: Context): Promise<string> {
  if (!context.stdin.isTerminal) return (await context.stdin.read()).replace(/\r?\n$/u, "");
  await context.stderr.write("key (not shown): ");
  const key = await context.stdin.readSecret();
  await context.stderr.write("\n");
  return key;
}

interface SeenPlan {
  readonly tier: Tier;
  readonly creditsLeft: string | undefined;
}

/** Asks the free host and then the paid one; the one that counts the key says its plan. */
async function findPlan(context: Context, options: RunOptions, key: string): Promise<SeenPlan> {
  const failures: Failure[] = [];
  for (const tier of ["free", "pro"] as const) {
    const target = { ...hostsOf(options, tier), key, tier };
    try {
      const seen = await askPlan(context, options, target);
      // An unreadable key is not refused by the public service but counted as keyless.
      if (isTier(seen.plan) && seen.plan !== "keyless")
        return { tier: seen.plan, creditsLeft: seen.creditsLeft };
    } catch (cause) {
      if (!(cause instanceof Failure) || cause.exit !== 4) throw cause;
      failures.push(cause);
    }
  }
  const [first] = failures;
  throw new Failure("neither host of the service accepts this key", {
    exit: 4,
    code: first?.details.code ?? "invalid_api_key",
    status: first?.details.status,
    why: first?.details.why,
    next: "copy it whole from the console: it begins with api_",
  });
}

function hostsOf({ settings, baseUrl }: RunOptions, tier: Tier): Pick<Target, "rest" | "streaming"> {
  const isPaid = plans[tier].hosts === "paid";
  return {
    rest: baseUrl ?? (isPaid ? settings.pro_base_url.value : settings.base_url.value),
    streaming: isPaid ? settings.streaming_pro_url.value : settings.streaming_url.value,
  };
}

type Asking = Pick<Target, "rest" | "streaming" | "key" | "tier">;

async function seenPlan(context: Context, options: RunOptions, target: Asking): Promise<string> {
  try {
    return (await askPlan(context, options, target)).plan;
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    return `refused: ${cause.message}`;
  }
}

async function askPlan(
  context: Context,
  options: RunOptions,
  asking: Asking,
): Promise<{ readonly plan: string; readonly creditsLeft: string | undefined }> {
  const target: Target = { ...asking, keySource: "the prompt", isSimulated: false };
  const notices = createNotices(context, options);
  const client = createClient(context, target, {
    timeout: options.timeout,
    retry: options.retry,
    observer: notices,
  });
  try {
    const { text, value } = await client.ask(usage, new Map());
    const plan = member(value, "plan");
    return {
      plan: typeof plan === "string" ? plan : (client.meter.plan ?? "not said"),
      creditsLeft: rawAt(text, ["credits", "remaining"]) ?? client.meter.creditsLeft,
    };
  } finally {
    await client.close();
    await notices.settled();
  }
}
