import { type Failure, usageFailure } from "../../contract/failure.ts";
import { withoutSecrets } from "../../contract/key.ts";
import { visibleText } from "../../render/sanitize.ts";

/** The first segments of all paths that the service has ever had. */
const roots: ReadonlySet<string> = new Set([
  "networks",
  "pools",
  "tokens",
  "search",
  "usage",
  "stats",
  "stream",
  "sse",
]);

/** The host is ignored. */
export function readOldUrl(typed: string) {
  const refuse = (problem: string, next?: string): Failure =>
    usageFailure(`"${withoutSecrets(typed)}": ${problem}`, next);
  const text = typed.trim();
  const [, authority = "", rest = ""] = /^(?:[a-z][\w+.-]*:\/\/([^/?#]*))?(.*)$/isu.exec(text) ?? [];
  const [path = "", ...queries] = (rest.split("#")[0] ?? "").split("?");
  const decoded = (part: string): string => {
    let plain: string;
    try {
      plain = decodeURIComponent(part);
    } catch {
      throw refuse(`"${withoutSecrets(part)}" is not valid percent-encoded UTF-8`);
    }
    if (visibleText(plain) !== plain || /\p{Cc}/u.test(plain))
      throw refuse("contains characters that cannot be shown on a command line");
    return plain;
  };
  const all = path.split("/").map(decoded);
  const begin = all.findIndex((segment) => roots.has(segment));
  if (begin < 0)
    throw refuse(
      "not an API URL; must contain a path such as /networks/ethereum/pools",
      "put the URL in quotes because of ? and &: dexdata migrate '/networks/ethereum/pools?limit=5'",
    );
  const pairs = queries
    .join("?")
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.replaceAll("+", " ").split("=");
      return [decoded(name), decoded(value.join("="))] as const;
    });
  const query = pairs.filter(([name, value]) => !isKey(name, value));
  return {
    /** Decoded, starting at the first one that the API knows. */
    segments: all.slice(begin, all.at(-1) === "" ? -1 : undefined),
    /** Decoded, in the order typed, without parameters that looked like a key. */
    query,
    hadKey: query.length < pairs.length || authority.includes("@"),
  };
}

function isKey(name: string, value: string): boolean {
  return (
    /^(?:x-)?(?:api[-_]?key|key|auth\w*|secret|access_token|bearer)$/iu.test(name) ||
    /^(?:bearer\s+)?api_/iu.test(value)
  );
}
