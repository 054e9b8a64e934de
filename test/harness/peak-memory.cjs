// Loaded into each Node process whose memory is measured: at exit it appends the peak resident set, in KiB, to the file
// in DEXDATA_TEST_PEAK. Polling from outside may miss the last moment.
"use strict";
process.once("exit", () =>
  require("node:fs").appendFileSync(
    process.env.DEXDATA_TEST_PEAK,
    `${String(process.resourceUsage().maxRSS)}\n`,
  ),
);
