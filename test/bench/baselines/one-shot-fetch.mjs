// A typical hand-written client: one GET with fetch, and a padded list. Usage: node one-shot-fetch.mjs URL
const answer = await (await fetch(process.argv[2])).json();
let text = "";
for (const [name, value] of Object.entries(answer))
  text += `${name.padEnd(26)}${typeof value === "object" ? JSON.stringify(value) : value}\n`;
process.stdout.write(text);
