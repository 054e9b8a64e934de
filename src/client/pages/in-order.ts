/**
 * What the asks come to, in their order, with up to `width` of them under way: none is begun before there is room,
 * so memory stays bounded however slow the consumer is. The first that fails ends it, after everything before it;
 * so does a consumer that stops. What is then still under way is left to itself. `firstAlone`: where all of them ask
 * about the same thing, the first finds out whether it is there, and a mistyped address costs one credit.
 */
export async function* inOrder<T extends object>(
  asks: Iterable<() => Promise<T>>,
  width: number,
  { firstAlone = false } = {},
): AsyncGenerator<T> {
  const waiting = asks[Symbol.iterator]();
  const underWay: Promise<T>[] = [];
  const fill = (upTo: number): void => {
    while (underWay.length < upTo) {
      const ask = waiting.next();
      if (ask.done === true) return;
      const answer = ask.value();
      // Whether it failed is read in its turn; until then nobody looks.
      answer.catch(() => undefined);
      underWay.push(answer);
    }
  };
  for (fill(firstAlone ? 1 : width); underWay.length > 0; fill(width)) {
    const value = await underWay[0];
    void underWay.splice(0, 1);
    if (value !== undefined) yield value;
  }
}
