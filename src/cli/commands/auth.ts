import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure, usageFailure } from "../../contract/failure.ts";
import { checkKeyForm, maskKey, MAX_KEY_BYTES } from "../../contract/key.ts";
import { defaultProfile, readCredentials } from "../../settings/credentials.ts";
import { rememberTier, saveProfile } from "../../settings/edit-credentials.ts";
import { findKey, type FoundKey } from "../../settings/find-key.ts";
import { checkKeyHosts } from "../../settings/key-hosts.ts";
import { readKeyFile } from "../../settings/read-key-file.ts";
import type { FlagValues } from "../flags/flags.ts";
import { expectWords, writeRecord } from "../output/local-output.ts";
import { createNotices } from "../notices.ts";
import { openSandbox, tierSourceOf } from "../open-client.ts";
import { readRunOptions, type RunOptions } from "../run-options.ts";
import { say } from "../say.ts";
import { askPlan, findPlan, hostsOf, type SeenPlan } from "./find-plan.ts";
import { profileName } from "./profile-name.ts";
import { rivalOf } from "./rival-key.ts";

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
  if (options.sandbox !== undefined) {
    throw usageFailure("auth login: the sandbox has keys of its own, and stores none", "leave out --sandbox");
  }
  const name = profileName(context, options.profile) ?? defaultProfile;
  const { key, source } = await readKey(context, options);
  const refused = checkKeyForm(key);
  if (refused !== undefined) throw usageFailure(`the key ${refused.problem}`, refused.next);
  const seen = await findPlan(context, options, { key, source });
  const { problem } = readCredentials(context);
  if (problem !== undefined)
    await say(context, `dexdata: ${problem}; it is kept aside and a new one written`);
  const { backup } = await saveProfile(
    context,
    name,
    { key, tier: seen.plan, ...hostsOf(options, seen.plan) },
    { replaceBroken: problem !== undefined },
  );
  if (backup !== undefined) await say(context, `the old file: ${backup}`);
  const left = seen.creditsLeft === undefined ? "" : `, ${seen.creditsLeft} credits left`;
  await say(context, `stored as profile "${name}": ${seen.plan} plan${left}`);
  const rival = rivalOf(context, options.settings, name);
  if (rival !== undefined) await say(context, `  ${rival}`);
  return 0;
}

export async function status(
  words: readonly string[],
  flags: FlagValues,
  context: Context,
): Promise<ExitCode> {
  expectWords(words, 0, "auth status");
  const options = readRunOptions(flags, context);
  if (options.sandbox !== undefined) {
    const { target, close } = await openSandbox(context, options, options.sandbox);
    try {
      return await writeStatus(context, flags, target, await ask(context, options, target));
    } finally {
      await close();
    }
  }
  const { settings } = options;
  const { found, warnings } = await findKey(context, options, settings);
  const notices = createNotices(context, options);
  for (const warning of [...settings.warnings, ...warnings]) notices.warn(`dexdata: ${warning}`);
  await notices.settled();
  if (found !== undefined && found.tier === undefined) {
    return await statusWithoutTier(context, flags, options, found);
  }
  const tier = found?.tier ?? settings.tier.value ?? "keyless";
  const { key, source: keySource } = found ?? { key: undefined, source: undefined };
  const tierSource = tierSourceOf(options);
  const target = { ...hostsOf(options, tier), tier, tierSource, key, keySource, isSimulated: false };
  if (found !== undefined) checkKeyHosts(found, options);
  return await writeStatus(context, flags, target, await ask(context, options, target));
}

type Asked = SeenPlan | Failure;

async function ask(context: Context, options: RunOptions, target: Target): Promise<Asked> {
  return await askPlan(context, options, target).catch(asFailure);
}

/** A failure is part of the status; anything else is a bug or an interruption. */
function asFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  throw cause;
}

/** No host is guessed for a key whose tier nobody has said: both are asked, as at login. */
async function statusWithoutTier(
  context: Context,
  flags: FlagValues,
  options: RunOptions,
  found: FoundKey,
): Promise<ExitCode> {
  const { key, source } = found;
  checkKeyHosts(found, options);
  const asked = await findPlan(context, options, { key, source }).catch(asFailure);
  const shown = { key: maskKey(key), source };
  if (asked instanceof Failure) {
    await writeRecord(context, flags, { ...shown, tier: "not known", problem: asked.message });
    return asked.exit;
  }
  const { plan, creditsLeft } = asked;
  const unkept = await rememberTier(context, key, plan).then(() => undefined, asFailure);
  await writeRecord(context, flags, {
    ...shown,
    tier: unkept === undefined ? plan : "not known",
    plan,
    credits_left: creditsLeft,
    ...(unkept === undefined
      ? { note: "the tier is remembered with a hash of the key: DEXDATA_TIER is not needed on this machine" }
      : { problem: `set DEXDATA_TIER=${plan}: ${unkept.message}` }),
    rest_url: hostsOf(options, plan).rest,
    streaming_url: hostsOf(options, plan).streaming,
  });
  return 0;
}

async function writeStatus(
  context: Context,
  flags: FlagValues,
  target: Target,
  asked: Asked,
): Promise<ExitCode> {
  const isRefused = asked instanceof Failure;
  const isOther = !isRefused && asked.plan !== target.tier;
  await writeRecord(context, flags, {
    key: target.key === undefined ? "none" : maskKey(target.key),
    source: target.key === undefined ? undefined : target.keySource,
    tier: target.tier,
    plan: isRefused ? undefined : asked.plan,
    credits_left: isRefused ? undefined : asked.creditsLeft,
    problem: isRefused
      ? asked.message
      : isOther
        ? `the service counts this as ${asked.plan}, not ${target.tier}`
        : undefined,
    rest_url: target.rest,
    streaming_url: target.streaming,
  });
  return isRefused ? asked.exit : 0;
}

async function readKey(
  context: Context,
  options: RunOptions,
): Promise<{ readonly key: string; readonly source: string }> {
  if (options.keyFile !== undefined) {
    return { key: (await readKeyFile(context, options.keyFile)).text, source: "--key-file" };
  }
  if (!context.stdin.isTerminal) {
    return {
      key: (await context.stdin.read(context.signal, MAX_KEY_BYTES)).replace(/\r?\n$/u, ""),
      source: "stdin",
    };
  }
  const where = whereTo(options);
  if (where !== undefined) await say(context, where);
  await context.stderr.write("key (not shown): ");
  try {
    return { key: await context.stdin.readSecret(context.signal), source: "the prompt" };
  } finally {
    // Also after Ctrl-C: the shell's own prompt begins a line.
    await context.stderr.write("\n");
  }
}

/** Before anything is typed: the environment may name hosts that the user does not expect. */
function whereTo(options: RunOptions): string | undefined {
  const { base_url: free, pro_base_url: paid } = options.settings;
  if (options.baseUrl !== undefined) return `it will be sent to ${options.baseUrl}`;
  if (free.source === "default" && paid.source === "default") return undefined;
  return `it will be sent to ${free.value} (${free.where}) and ${paid.value} (${paid.where})`;
}
