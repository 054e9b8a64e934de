import type { Tier } from "../contract/tier.ts";

const console = "https://console.dexpaprika.com";
const pricing = "https://dexpaprika.com/api/pricing";

export const documentation = "https://docs.dexpaprika.com";

/** Next steps that fit the tier; specification, section Errors, `links`. They are text: the sandbox asks nobody. */
export const links: Readonly<Record<Tier, Readonly<Record<string, string>>>> = {
  keyless: { register: console, docs: documentation, pricing, coupon: `${pricing}?coupon=START10` },
  free: { upgrade: console, usage: `${console}/usage`, docs: documentation, pricing },
  dev: { portal: `${console}/billing`, upgrade: console, usage: `${console}/usage`, docs: documentation },
  pro: { portal: `${console}/billing`, packs: `${console}/packs`, usage: `${console}/usage` },
  enterprise: { portal: `${console}/billing`, usage: `${console}/usage` },
};
