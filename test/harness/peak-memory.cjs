// Required into each Node process whose memory is measured: at its exit it adds its greatest resident set, in KiB, to the
// file that DEXDATA_TEST_PEAK names. Polling from outside may miss the last moment.
"use strict";
process.once("exit", () =>
  require("node:fs").appendFileSync(
    process.env.DEXDATA_TEST_PEAK,
    `${String(process.resourceUsage().maxRSS)}\n`,
  ),
);
