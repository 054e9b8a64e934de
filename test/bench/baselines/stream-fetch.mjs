// A typical hand-written client: fetch, split, JSON.parse, one line per event, waiting for drain. Usage: node
// stream-fetch.mjs URL
const decoder = new TextDecoder();
let rest = "";
for await (const chunk of (await fetch(process.argv[2])).body) {
  const events = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
  rest = events.pop();
  for (const line of events.flatMap((event) => event.split("\n"))) {
    if (!line.startsWith("data: ")) continue;
    if (!process.stdout.write(`${JSON.stringify(JSON.parse(line.slice(6)))}\n`))
      await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}
