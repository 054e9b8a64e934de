import { type Check, checks } from "./checks.ts";
import { createService, type Run, type Service, Rejected, Unseen } from "./service.ts";

export type Verdict = "holds" | "does not hold" | "could not be seen";

/** The lines of docs/assumptions.md, in order. */
export function readAssumptions(page: string): readonly string[] {
  return [...page.matchAll(/^\| (?!assumption |--)(.*?) \| .* \| .* \|$/gmu)].map(([, text = ""]) => text);
}

/** Yields one verdict for each line of the page. `run` starts dexdata. */
export async function* checkAssumptions(
  page: string,
  run: Run,
): AsyncGenerator<{ readonly assumption: string; readonly verdict: Verdict }> {
  const service = createService(run);
  for (const assumption of readAssumptions(page)) {
    const check = checks.find((each) => assumption.startsWith(each.assumption));
    yield {
      assumption,
      verdict: check === undefined ? "could not be seen" : await judge(check.holds, service),
    };
  }
}

/** One check with requests of its own. */
export async function judgeAlone({ holds }: Check, run: Run): Promise<Verdict> {
  return await judge(holds, createService(run));
}

async function judge(
  holds: (service: Service) => Promise<boolean | undefined>,
  service: Service,
): Promise<Verdict> {
  try {
    const result = await holds(service);
    if (result === undefined) return "could not be seen";
    return result ? "holds" : "does not hold";
  } catch (cause) {
    if (cause instanceof Rejected) return "does not hold";
    if (cause instanceof Unseen) return "could not be seen";
    throw cause;
  }
}
