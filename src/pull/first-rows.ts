import type { Page } from "../client/pages/page.ts";

/** The first `limit` rows; stops asking as soon as it has them. */
export async function* firstRows(pages: AsyncIterable<Page>, limit: number): AsyncGenerator<Page> {
  let left = limit;
  for await (const page of pages) {
    if (page.rows.length <= left) yield page;
    else {
      const { proof: _proof, ...cut } = page;
      const rows = page.rows.keep(Array.from({ length: page.rows.length }, (_, index) => index < left));
      yield { ...cut, rows, isCut: true };
    }
    left -= page.rows.length;
    if (left <= 0) return;
  }
}
