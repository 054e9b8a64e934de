// Required into each Node process whose memory is measured: it writes its greatest resident set, in KiB, when it exits.
"use strict";
process.on("exit", () =>
  require("node:fs").appendFileSync(
    process.env.BENCH_PEAK_FILE,
    `${String(process.resourceUsage().maxRSS)}\n`,
  ),
);
