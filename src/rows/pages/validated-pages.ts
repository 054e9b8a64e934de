import type { Page } from "../../client/page.ts";
import { compileRowCheck, type RowCheck } from "../../api/row-check.ts";
import { type Endpoint, rowShape } from "../../api/endpoint.ts";
import { invalidResponse } from "../../base/failure.ts";

/** The user may need invalid rows, so they are passed on before the pull fails and names the first one. */
export async function* validatedPages(pages: AsyncIterable<Page>, endpoint: Endpoint): AsyncGenerator<Page> {
  const checks = new Map<string, RowCheck>();
  let [total, wrong] = [0, 0];
  let first: string | undefined;
  for await (const page of pages) {
    const check = checks.get(page.group) ?? compileRowCheck(rowShape(endpoint, page.group).record);
    checks.set(page.group, check);
    for (const row of page.rows.values()) {
      total += 1;
      const problem = check(row);
      if (problem === undefined) continue;
      wrong += 1;
      first ??= `row ${total}, ${problem}`;
    }
    yield page;
  }
  if (first !== undefined)
    throw invalidResponse(`${wrong} of ${total} rows do not match the API schema: ${first}`);
}
