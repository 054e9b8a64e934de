// tests-of-package.mjs [node…]: packs the program, installs it offline, and runs every test that starts the
// program with the installed one, under each Node (default: the current one).
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { install, isWindows, pack } from "./packed.mjs";

const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const folder = mkdtempSync(path.join(tmpdir(), "dexdata-package-"));
const vitest = "node_modules/vitest/vitest.mjs";

/** Runs vitest with the installed program under a Node and returns its final summary. */
function runTests(node, program, words) {
  const report = path.join(folder, "report.json");
  const reports = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  rmSync(report, { force: true });
  spawnSync(node, [vitest, ...words, ...reports], {
    stdio: "inherit",
    env: {
      ...process.env,
      PATH: [path.dirname(node), process.env["PATH"]].join(path.delimiter),
      DEXDATA_TEST_PROGRAM: program,
    },
  });
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
  const red = testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
  return { red, passed: numPassedTests };
}

let failed = 0;
const summaries = [];
try {
  const tarball = pack(folder);
  for (const [index, node] of nodes.entries()) {
    const { program, command } = install(node, tarball, path.join(folder, `prefix-${index}`));
    const started = isWindows ? program : command;
    // A test starts the program if it imports the harness that does.
    const { passed, red } = runTests(node, started, ["related", "--run", "test/harness/binary.ts"]);
    failed += red.length;
    const which = red.map((file) => path.relative(".", file)).join(", ");
    summaries.push(
      `${node}: ${passed} passed, ${red.length} files failed${which === "" ? "" : `: ${which}`}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`the installed package under\n  ${summaries.join("\n  ")}`);
process.exitCode = failed === 0 ? 0 : 1;
