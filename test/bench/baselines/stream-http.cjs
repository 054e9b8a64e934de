// The floor of a stream: node:http, data lines cut out of whole chunks by indexOf, nothing checked. node stream-http.cjs URL
"use strict";
let rest = "";
require("node:http").get(process.argv[2], (response) =>
  response.on("data", (chunk) => {
    const text = rest + chunk.latin1Slice();
    let lines = "";
    let from = 0;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n", from)) {
      const data = text.indexOf("data: ", from);
      if (data !== -1 && data < end) lines += text.slice(data + 6, text.indexOf("\n", data) + 1);
      from = end + 2;
    }
    rest = text.slice(from);
    if (lines === "" || process.stdout.write(lines, "latin1")) return;
    response.pause();
    process.stdout.once("drain", () => response.resume());
  }),
);
