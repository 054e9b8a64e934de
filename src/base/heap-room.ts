import { setFlagsFromString } from "node:v8";

/**
 * `bin/run-command.ts` keeps V8's heap small for lists of pages. Some work makes more values than such a young
 * generation can hold, so they would be copied again and again, or more than such an old one may grow by: a row group,
 * or amounts in tokens. This gives the first its default growth, and lets the second grow to twice its live objects; by
 * default, it would take 50 MB more.
 */
export function letHeapGrow(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--heap-growing-percent=100");
}
