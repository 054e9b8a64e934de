import type { Context } from "../../base/context/context.ts";
import { settledValue } from "../settings/read-settings.ts";
import { settings } from "../../client/settings.ts";
import type { Tone } from "./values/cell.ts";

/**
 * `auto` enables color on a terminal. NO_COLOR, TERM=dumb and FORCE_COLOR=0 or false disable it, and other values of
 * FORCE_COLOR enable it. An empty variable counts as unset.
 */
export function isColored(when: string, context: Context, output: "stdout" | "stderr" = "stdout"): boolean {
  if (when !== "auto") return when === "always";
  const { env } = context;
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = (env["FORCE_COLOR"] ?? "").toLowerCase();
  if (forced !== "") return forced !== "0" && forced !== "false";
  // Dim remarks are not worth escape sequences on a terminal that does not say what it is.
  if (output === "stderr" && (env["TERM"] ?? "") === "") return false;
  return context[output].isTerminal && env["TERM"] !== "dumb";
}

/** As the setting says, for output without a --color flag. */
export function isUsuallyColored(context: Context): boolean {
  return isColored(settledValue(context, settings.color) ?? "auto", context);
}

/**
 * An empty variable counts as unset (POSIX, Environment Variables). These variables do not exist on Windows, but
 * Windows Terminal sets WT_SESSION and displays Unicode in every code page.
 */
export function readsUnicode(env: Context["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return locale === "" ? (env["WT_SESSION"] ?? "") !== "" : /utf-?8/iu.test(locale);
}

/** The fonts of the Linux console lack heavy lines and bars. */
export function drawsUnicode(env: Context["env"]): boolean {
  return readsUnicode(env) && env["TERM"] !== "linux" && env["TERM"] !== "dumb";
}

/** Adds color to text that already has its final width. */
export type Paint = (text: string, tone: Tone) => string;

/** Loads chalk only if color is used. The caller has already decided, so chalk must not detect the terminal itself. */
export async function createPaint(hasColor: boolean): Promise<Paint> {
  if (!hasColor) return (text) => text;
  const { Chalk } = await import("chalk");
  const { green, red, dim, bold, inverse } = new Chalk({ level: 1 });
  const painters = {
    up: green,
    down: red,
    faint: dim,
    heading: bold,
    risen: green.inverse,
    fallen: red.inverse,
    changed: inverse,
  };
  return (text, tone) => (text === "" || tone === "plain" ? text : painters[tone](text));
}
