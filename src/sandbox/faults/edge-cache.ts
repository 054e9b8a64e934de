import { makeRecent } from "../market/recent.ts";
import type { Faults } from "../fault-kinds.ts";
import { pathOf } from "./list-body.ts";

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Copy extends Response {
  /** Real milliseconds. */
  readonly at: number;
}

/** Wire-facts 2.3: `stale-if-error=600`, in milliseconds. */
const staleMs = 600_000;
const maxCopies = 1000;

/** The cache in front of the service, for the paths that have one. A copy keeps the `Date` of its original. */
export function createEdgeCache(faults: Faults, elapsed: () => number) {
  const caches = faults.filter(({ kind }) => kind === "edge-cache");
  const copies = makeRecent<string, Copy>(maxCopies);
  const freshFor = (path: string) =>
    path.startsWith("/usage") ? undefined : caches.find((fault) => path.includes(fault.path ?? ""));
  return (host: string, target: string) => {
    const fault = freshFor(pathOf(target));
    if (fault === undefined) return undefined;
    const { amount = 0, text } = fault;
    const [words = ""] = text.split("/", 1);
    const key = `${host} ${words.includes(":path") ? pathOf(target) : target}`;
    const control = `public, max-age=${Math.floor(amount / 1000)}, stale-if-error=${staleMs / 1000}`;
    /** `headers` are those of the present time. */
    const copyOf = (longest: number, headers: Response["headers"] = {}): Response | undefined => {
      const copy = copies.get(key);
      const age = elapsed() - (copy?.at ?? Number.NEGATIVE_INFINITY);
      if (copy === undefined || age >= longest) return undefined;
      const kept = { Date: copy.headers["Date"] ?? "", Age: String(Math.floor(age / 1000)) };
      const { status, body } = copy;
      return { status, body, headers: { ...copy.headers, ...headers, ...kept, "Cache-Control": control } };
    };
    return {
      /** A copy for which the service is not asked. */
      free: () => (words.includes(":free") ? copyOf(amount) : undefined),
      /** What a caller gets when the service has responded like this. */
      pass: (response: Response): Response => {
        const { status, headers } = response;
        if (status >= 500) return copyOf(staleMs) ?? response;
        if (status !== 200) return response;
        const copy = copyOf(amount, headers);
        if (copy !== undefined) return copy;
        copies.set(key, { ...response, at: elapsed() });
        return { ...response, headers: { ...headers, Age: "0", "Cache-Control": control } };
      },
    };
  };
}
