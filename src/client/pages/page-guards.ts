import { endlessList, nextOf } from "../page-end.ts";
import { closing, type Page, rowsSentIn } from "../page.ts";

/** The pull gives up after this many consecutive pages of repeated rows, because each page costs a credit. */
const maxRepeatedPages = 3;
/** More empty pages are accepted, because a filter that matches few rows may leave some empty. */
const maxEmptyPages = 10;

/** Passes pages through. A list that ends with doubts fails after its last page. */
export async function* failOnDoubts(pages: AsyncIterable<Page>, isStrict: boolean): AsyncGenerator<Page> {
  for await (const page of pages) yield* page.end.kind === "last" ? closing(page, isStrict) : [page];
}

/** Passes pages through, but fails if a list continues endlessly without new rows, because each page costs a credit. */
export async function* refuseEndless(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  let [repeats, empty] = [0, 0];
  for await (const page of pages) {
    const hasNoNewRows = page.adds === "nothing";
    // A page that was requested again on purpose is not a sign of an endless list.
    if (page.adds !== "read again") {
      repeats = hasNoNewRows && rowsSentIn(page) > 0 ? repeats + 1 : 0;
      empty = hasNoNewRows ? empty + 1 : 0;
    }
    yield page;
    const isExhausted = repeats === maxRepeatedPages || empty === maxEmptyPages;
    if (isExhausted && page.adds !== "read again" && nextOf(page) !== undefined)
      throw endlessList(empty, page.end.doubts);
  }
}
