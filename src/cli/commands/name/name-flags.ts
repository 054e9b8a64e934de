import { flag, pick } from "../../run/flags/flag.ts";
import { toggle } from "../../run/flags/flag-types.ts";
import { localRowFlags, sharedFlags } from "../../run/flags/shared-flags.ts";

/** The hosts determine the service that a name belongs to. */
export const nameShared = { ...localRowFlags, ...pick(sharedFlags, "sandbox", "seed", "base-url") };

export const nameFlags = {
  force: flag(toggle, "Parameters", { summary: "Replace an existing name" }),
};

export const nameNote =
  "A name has up to 40 letters, digits, dashes, underscores and dots; case does not matter. It works wherever " +
  "network:address does: as an argument, in a list, and with --token. Each base URL has its own list of names. " +
  "In the sandbox, each --seed has its own list.";
