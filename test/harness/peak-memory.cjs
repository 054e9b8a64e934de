// Loaded into a child process before the program: what polling from outside may miss in the last moment.
process.once("exit", () => {
  const kilobytes = process.resourceUsage().maxRSS;
  require("node:fs").writeFileSync(process.env.DEXDATA_TEST_PEAK, String(kilobytes / 1024));
});
