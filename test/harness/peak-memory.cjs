// Loaded into each Node process whose memory is measured: at exit it appends the peak resident set, in KiB, to the file
// in DEXDATA_TEST_PEAK. Polling from outside may miss the last moment. On Linux, `maxRSS` also counts the process that
// started this one, which is large if it ran many tests; the status of the process does not.
"use strict";
const { appendFileSync, existsSync, readFileSync } = require("node:fs");

const status = "/proc/self/status";

process.once("exit", () => {
  const own = existsSync(status)
    ? /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(status, "utf8"))?.[1]
    : undefined;
  appendFileSync(process.env.DEXDATA_TEST_PEAK, `${own ?? String(process.resourceUsage().maxRSS)}\n`);
});
