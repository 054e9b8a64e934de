// The requests of a pull alone: node:http, eight at once, each body is read and dropped. node requests-http.cjs FILE
"use strict";
const http = require("node:http");
const addresses = require("node:fs").readFileSync(process.argv[2], "utf8").trim().split("\n");
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
for (const address of addresses) http.get(address, { agent }, (response) => response.resume());
