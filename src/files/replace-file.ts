import { renameSync } from "node:fs";
import type { Context } from "../context/context.ts";
import { errorCode } from "./error-code.ts";

const tries = 10;
/** What Windows answers while a reader or a virus scanner holds the file for a moment; elsewhere it is a refusal. */
const heldCodes: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);

/** Puts the staged file in place of the other, at once; on Windows within two seconds. */
export async function replaceFile(
  { clock, platform }: Pick<Context, "clock" | "platform">,
  staged: string,
  target: string,
  rename: typeof renameSync = renameSync,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return rename(staged, target);
    } catch (error) {
      if (platform !== "win32" || attempt === tries || !heldCodes.has(errorCode(error))) throw error;
      await clock.sleep(40 * attempt);
    }
  }
}
