import { type AddressOf, damageFault } from "../../api/address-form.ts";
import { type Failure, fail } from "../../base/failure.ts";
import { nameOf, type Subject } from "../subject.ts";
import { someOf } from "./shards.ts";

/**
 * The assets whose addresses can exist. The others are not sent, because the service would reject their batch. Throws
 * the failure that names them if `found` is `fail`, or if no asset would be left.
 */
export function withoutMalformed(
  subjects: readonly Subject[],
  by: AddressOf,
  found: "fail" | ((malformed: readonly Subject[], failure: Failure) => void),
): readonly Subject[] {
  const problems = new Map<Subject, string>();
  for (const subject of subjects) {
    const fault = damageFault(subject.network, subject.address, by);
    if (fault !== undefined) problems.set(subject, fault.problem);
  }
  if (problems.size === 0) return subjects;
  const failure = failureOf(problems, found === "fail" ? ", or skip invalid assets: --on-invalid drop" : "");
  if (found === "fail" || problems.size === subjects.length) throw failure;
  found([...problems.keys()], failure);
  return subjects.filter((subject) => !problems.has(subject));
}

function failureOf(problems: ReadonlyMap<Subject, string>, otherwise: string): Failure {
  const names = [...problems.keys()].map(nameOf);
  const problem = [...new Set(problems.values())].join("; ");
  const what = names.length === 1 ? "invalid asset" : `${names.length} invalid assets:`;
  return fail("usage", `${what} ${someOf(names)}: ${problem}`, {
    problem,
    next: `copy the complete address${otherwise}`,
  });
}
