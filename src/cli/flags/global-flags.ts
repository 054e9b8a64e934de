import type { Flag } from "./flags.ts";
import { hostFlags } from "./host-flags.ts";
import { outputFlags } from "./output-flags.ts";
import { requestFlags } from "./request-flags.ts";

/** Flags that every command of the service takes. */
export const globalFlags: readonly Flag[] = [...outputFlags, ...requestFlags, ...hostFlags];
