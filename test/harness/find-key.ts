import * as program from "../../src/cli/settings/find-key.ts";
import { readSettings } from "../../src/cli/settings/read-settings.ts";
import type { Context } from "../../src/base/context/context.ts";

/** The key that a run with these flags uses. */
export async function findKey(context: Context, flags: Parameters<typeof program.findKey>[1]) {
  return await program.findKey(context, flags, readSettings(context));
}
