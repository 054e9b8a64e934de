import { pick, type Values } from "./flag.ts";
import { hostFlags } from "./host-flags.ts";
import { outputFlags } from "./output-flags.ts";
import { requestFlags } from "./request-flags.ts";

/** Flags that every command of the service takes, and others some of. */
export const sharedFlags = { ...outputFlags, ...requestFlags, ...hostFlags };

/** How commands that ask nobody show their rows. */
export const localRowFlags = pick(sharedFlags, "output", "no-header", "error-format");

/** How they show a document. */
export const documentFlags = pick(sharedFlags, "output", "error-format");

export type SharedValues = Partial<Values<typeof sharedFlags>>;

/** What decides how rows of ours are shown. */
export type LocalOutputFlags = Pick<SharedValues, "output" | "no-header">;
