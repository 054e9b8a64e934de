import type { Tier } from "../contract/tier.ts";
import type { Dialect } from "./dialect.ts";
import type { SandboxHost } from "./exchange.ts";

/** Who asks, as far as the Authorization header says. */
export type Caller =
  | { readonly kind: "keyless"; readonly tier: "keyless" }
  | { readonly kind: "keyed"; readonly tier: KeyedTier; readonly key: string }
  /** A header that holds no key of this service. It was judged as nobody, hence the tier. */
  | { readonly kind: "invalid"; readonly tier: "keyless" };

export type KeyedTier = Exclude<Tier, "keyless">;

/** The keys the sandbox prints. Any other word after the tier is an account of its own. */
export const sandboxKeys: Readonly<Record<KeyedTier, string>> = {
  free: "api_free_sandbox",
  dev: "api_dev_sandbox",
  pro: "api_pro_sandbox",
  enterprise: "api_enterprise_sandbox",
};

const keyedTiers = ["free", "dev", "pro", "enterprise"] as const;
const keyless: Caller = { kind: "keyless", tier: "keyless" };
const invalid: Caller = { kind: "invalid", tier: "keyless" };

/** Specification, Authentication 3: the key is the entire value, with no scheme word in front. */
export function identify(authorization: string | undefined, host: SandboxHost, dialect: Dialect): Caller {
  const value = dialect === "public" && host === "rest_free" ? withoutBearer(authorization) : authorization;
  if (value === undefined || value === "") return keyless;
  const word = /^api_([a-z]+)_[!-~]+$/.exec(value)?.[1];
  const tier = keyedTiers.find((each) => each === word);
  return tier === undefined ? invalid : { kind: "keyed", tier, key: value };
}

/** The public service's free REST host strips the word, in any case (wire-facts 2.1). */
function withoutBearer(authorization: string | undefined): string | undefined {
  return authorization?.replace(/^bearer +/i, "");
}
