import { isObject } from "../base/json/json-scan.ts";
import { chooseRate } from "../client/pace-state.ts";
import { defaultRetryPolicy } from "../client/retry.ts";
import { runBudget, unbounded } from "../client/credit-budget.ts";
import { checkPlanHost, chooseTarget, lookUpOf, type Target } from "../client/target.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { checkKeyForm } from "../base/key.ts";
import { tiers } from "../api/tier.ts";
import { checkHost, isLoopback } from "../api/host.ts";
import { readSetting, type Setting, settings } from "../client/settings.ts";
import {
  aFunction,
  aString,
  checkOptions,
  isString,
  orUnlimited,
  readLater,
  type TypeCheck,
  wholeNumber,
} from "./check-options.ts";
import type { ClientOptions } from "./public-types.ts";

const aUrl: TypeCheck = [isString, "a URL as a string"];

const isEnvironment = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((each) => each === undefined || isString(each));

const optionTypes: Readonly<Record<keyof ClientOptions, TypeCheck>> = {
  apiKey: aString,
  tier: [isString, `one of ${tiers.join(", ")}`],
  baseUrl: aUrl,
  streamingUrl: aUrl,
  environment: [isEnvironment, "an object such as process.env"],
  numbers: [(value) => value === "number" || value === "text", "one of number, text"],
  rpm: readLater,
  retries: readLater,
  retryMaxTime: readLater,
  timeout: readLater,
  parallel: readLater,
  maxCredits: readLater,
  signal: [(value) => value instanceof AbortSignal, "an AbortSignal"],
  onWait: aFunction,
  now: aFunction,
};

export const optionNames = Object.keys(optionTypes);

export function readOptions(options: ClientOptions) {
  checkOptions(options, optionTypes, "createClient");
  const env = options.environment ?? {};
  const read = <T>(setting: Setting<T>): T =>
    readSetting({ env }, { path: "", values: new Map(), problem: undefined, isDamaged: false }, setting)
      .value;
  const target = readTarget(options, env, read);
  const outer = [target.rest, target.streaming].find((url) => !isLoopback(new URL(url).hostname));
  // The command line would not send a request. Only a program that runs in a sandbox has one.
  if (outer !== undefined && read(settings.sandbox))
    throw usageFailure(
      `DEXDATA_SANDBOX is set, but this client would use ${outer}`,
      "run the program with dexdata sandbox -- <command>, or leave DEXDATA_SANDBOX out of environment",
    );
  const {
    rpm = read(settings.rpm),
    retries = read(settings.retries),
    timeout = read(settings.timeout),
  } = options;
  const { retryMaxTime = defaultRetryPolicy.maxTime, parallel = 1, maxCredits } = options;
  if (rpm !== undefined && rpm !== "unlimited") wholeNumber("rpm", rpm, 1, 100_000, orUnlimited);
  return {
    target,
    rate: chooseRate({ value: rpm, where: "rpm" }, target.tier),
    retry: {
      ...defaultRetryPolicy,
      retries: wholeNumber("retries", retries, 0, 100),
      retryOn: read(settings.retry_on),
      maxTime: wholeNumber("retryMaxTime", retryMaxTime, 0),
    },
    timeout: wholeNumber("timeout", timeout, 1),
    width: wholeNumber("parallel", parallel, 1, 32),
    budget:
      maxCredits === undefined
        ? unbounded
        : runBudget(wholeNumber("maxCredits", maxCredits, 0), "maxCredits"),
    hasTexts: options.numbers === "text",
  };
}

function readTarget(
  { apiKey, tier, baseUrl, streamingUrl }: ClientOptions,
  env: Readonly<Record<string, string | undefined>>,
  read: <T>(setting: Setting<T>) => T,
): Target {
  const fromEnvironment = env["DEXDATA_API_KEY"];
  const key = apiKey ?? (fromEnvironment === "" ? undefined : fromEnvironment);
  const source = apiKey === undefined ? "DEXDATA_API_KEY" : "apiKey";
  if (key !== undefined) {
    const refused = checkKeyForm(key);
    if (refused !== undefined) throw usageFailure(`the key from ${source} ${refused.problem}`, refused.next);
  }
  const checked = tier === undefined ? undefined : settings.tier.check(tier);
  if (checked !== undefined && "problem" in checked)
    throw usageFailure(`tier: ${checked.problem}`, checked.next);
  const known = tier ?? read(settings.tier);
  if (key !== undefined && (known === undefined || known === "keyless"))
    throw usageFailure(
      "missing tier: with a key, the plan is required to choose the host",
      `one of: ${tiers.slice(1).join(", ")}`,
    );
  if (key === undefined && known !== undefined && known !== "keyless")
    throw usageFailure(
      `missing apiKey: the plan is set to ${known}, but no key is set`,
      "pass the key as apiKey, or set DEXDATA_API_KEY in environment",
    );
  const hosts = {
    rest: { free: read(settings.base_url), paid: read(settings.pro_base_url) },
    streaming: { free: read(settings.streaming_url), paid: read(settings.streaming_pro_url) },
  };
  const identity = { key, keySource: key === undefined ? undefined : source, tier: known };
  const target = chooseTarget(hosts, identity, {
    ...(baseUrl !== undefined && { rest: readHost("baseUrl", baseUrl) }),
    ...(streamingUrl !== undefined && { streaming: readHost("streamingUrl", streamingUrl) }),
  });
  if (key !== undefined)
    for (const host of [target.rest, target.streaming])
      checkPlanHost(target.tier, source, host, lookUpOf(target));
  return target;
}

function readHost(name: string, text: string): string {
  const host = checkHost(text);
  if (typeof host === "string") return host;
  throw invalidInput(name, host.problem);
}
