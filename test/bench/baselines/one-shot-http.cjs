// The least a Node script can do: one GET by node:http, JSON.parse, a padded list. node one-shot-http.cjs URL
"use strict";
require("node:http").get(process.argv[2], { agent: false }, (response) => {
  const chunks = [];
  response.on("data", (chunk) => chunks.push(chunk));
  response.on("end", () => {
    let text = "";
    for (const [name, value] of Object.entries(JSON.parse(Buffer.concat(chunks).toString())))
      text += `${name.padEnd(26)}${typeof value === "object" ? JSON.stringify(value) : value}\n`;
    process.stdout.write(text);
  });
});
