import { endlessList, incompleteList, nextOf, problemsOf } from "./judge.ts";
import { type Page, rowsSentIn, warningOf } from "./page.ts";

/** The pull gives up after this many consecutive pages of repeated rows, because each page costs a credit. */
const patienceWithRepeats = 3;
/** More empty pages are accepted, because a filter that matches few rows may leave some empty. */
const patienceWithEmptyPages = 10;

/** Passes pages through. A list that ends with doubts fails after its last page. */
export async function* failOnDoubts(pages: AsyncIterable<Page>, isStrict: boolean): AsyncGenerator<Page> {
  for await (const page of pages) yield* page.end.kind === "last" ? closing(page, isStrict) : [page];
}

/** Ends a pull with its last page. If there are doubts, it fails then, or the page has a warning if it need not be strict. */
export function* closing(page: Page, isStrict: boolean): Generator<Page> {
  const { doubts } = page.end;
  if (doubts.length === 0) return yield page;
  if (isStrict) {
    yield page;
    throw incompleteList(doubts);
  }
  const notes = [...page.notes, ...warningOf(`the list may be incomplete: ${problemsOf(doubts)}`)];
  yield { ...page, notes };
}

/** Passes pages through, but fails if a list continues endlessly without new rows, because each page costs a credit. */
export async function* refuseEndless(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let [repeats, empty] = [0, 0];
  for await (const page of pages) {
    const isBarren = page.adds === "nothing";
    // A page that was requested again on purpose is not a sign of an endless list.
    if (page.adds !== "read again") {
      repeats = isBarren && rowsSentIn(page) > 0 ? repeats + 1 : 0;
      empty = isBarren ? empty + 1 : 0;
    }
    yield page;
    const isExhausted = repeats === patienceWithRepeats || empty === patienceWithEmptyPages;
    if (isExhausted && page.adds !== "read again" && nextOf(page) !== undefined)
      throw endlessList(empty, page.end.doubts);
  }
}
