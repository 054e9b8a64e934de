import type { Context } from "../../context/context.ts";
import { Failure } from "../../contract/failure.ts";
import { readConfigFile } from "../../settings/config-file.ts";
import { type ColorMode, readSetting, settings } from "../../settings/settings.ts";

/** NO_COLOR and TERM=dumb switch it off, FORCE_COLOR on; `auto` looks at the terminal. */
export function isColored(when: string, context: Context): boolean {
  if (when !== "auto") return when === "always";
  const { env } = context;
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  if (env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0") return true;
  return context.stdout.isTerminal && env["TERM"] !== "dumb";
}

/** What the settings say; a setting that is refused must not keep anybody from help. */
export function settledColor(context: Context): ColorMode {
  try {
    return readSetting(context, readConfigFile(context), settings.color).value;
  } catch (cause) {
    if (cause instanceof Failure) return "auto";
    throw cause;
  }
}
