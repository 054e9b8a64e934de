/** Work cut into steps of at most a few milliseconds. Other work may be done after each step. */
export type Work<Result> = Generator<undefined, Result, undefined>;

/** Does the remaining steps at once. */
export function finish<Result>(work: Work<Result>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/** Several requests can do the returned work together: whichever has a turn does the next step. */
export function shareWork<Result>(work: Work<Result>): () => Work<Result> {
  let step: IteratorResult<undefined, Result> = { done: false, value: undefined };
  return function* share() {
    while (step.done !== true) {
      step = work.next();
      if (step.done !== true) yield;
    }
    return step.value;
  };
}

/** Returns the results of the visits. */
export function* eachInSteps<Item, Result>(
  items: readonly Item[],
  visit: (item: Item) => Result,
): Work<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(visit(item));
    yield;
  }
  return results;
}
