// A typical hand-written client: fetch, JSON.parse, one line per row, waiting for drain; large integers are
// rounded. Usage: node list-fetch.mjs URL
const url = process.argv[2];
for (let cursor = ""; ;) {
  const page = await (await fetch(cursor === "" ? url : `${url}&cursor=${cursor}`)).json();
  for (const row of page.results)
    if (!process.stdout.write(`${JSON.stringify(row)}\n`))
      await new Promise((resolve) => process.stdout.once("drain", resolve));
  if (!page.has_next_page) break;
  cursor = page.next_cursor;
}
