// Loaded into a child process whose death is tested. Its hooks are the calls that change a file in the directory in
// DEXDATA_TEST_FOLDER: before each of them, and once more in the middle of each write. With DEXDATA_TEST_HOOK, the
// process kills itself at the hook with this number, from 1. Without it, the first hook writes a byte to descriptor 3,
// so that the parent can kill the process at some moment during the changes.
"use strict";
const fs = require("node:fs");
const { DEXDATA_TEST_FOLDER: folder, DEXDATA_TEST_HOOK: last } = process.env;
const { openSync, writeSync, writeFileSync } = fs;
const opened = new Set();
let hooks = 0;

function hook() {
  hooks += 1;
  if (last === undefined && hooks === 1) writeSync(3, "1");
  if (hooks === Number(last)) process.kill(process.pid, "SIGKILL");
}

const isInside = (place) =>
  typeof place === "number" ? opened.has(place) : place === folder || String(place).startsWith(`${folder}/`);
const isForReading = (flags) => flags === undefined || flags === "r" || (Number(flags) & 3) === 0;

for (const name of [
  "chmodSync",
  "closeSync",
  "fchmodSync",
  "fsyncSync",
  "mkdirSync",
  "renameSync",
  "rmSync",
  "unlinkSync",
]) {
  const original = fs[name];
  fs[name] = (place, ...rest) => {
    if (isInside(place)) hook();
    if (name === "closeSync") opened.delete(place);
    return original(place, ...rest);
  };
}

fs.openSync = (place, flags, ...rest) => {
  const isChange = isInside(place) && !isForReading(flags);
  if (isChange) hook();
  const descriptor = openSync(place, flags, ...rest);
  if (isChange) opened.add(descriptor);
  return descriptor;
};

// A kill in the middle leaves half of the content.
for (const [name, original] of Object.entries({ writeSync, writeFileSync })) {
  fs[name] = (place, content, ...rest) => {
    if (!isInside(place)) return original(place, content, ...rest);
    hook();
    if (hooks + 1 === Number(last)) original(place, content.slice(0, Math.ceil(content.length / 2)));
    hook();
    return original(place, content, ...rest);
  };
}
