// tests-of-package.mjs [node…]: packs the program, installs it without a network, and runs every test that starts the
// program with the installed one, under each Node (this one unless told).
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { install, isWindows, pack } from "./packed.mjs";

const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const folder = mkdtempSync(path.join(tmpdir(), "dexdata-package-"));
const vitest = "node_modules/vitest/vitest.mjs";

/** vitest in the program's place under a Node: what it says of the tests in the end. */
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
  const inRed = testResults.filter(({ name }) => red.includes(name)).flatMap((file) => file.assertionResults);
  return {
    red,
    passed: numPassedTests,
    passedInRed: inRed.filter(({ status }) => status === "passed").length,
  };
}

let failed = 0;
const told = [];
try {
  const tarball = pack(folder);
  for (const [index, node] of nodes.entries()) {
    const { program, command } = install(node, tarball, path.join(folder, `prefix-${index}`));
    const started = isWindows ? program : command;
    // What starts it is what imports the harness that does.
    const first = runTests(node, started, ["related", "--run", "test/harness/binary.ts"]);
    let line = `${node}: ${first.passed} passed`;
    if (first.red.length > 0) {
      // As .ci/run does: on a busy machine a clock may have judged, so once more and alone.
      const again = runTests(node, started, ["run", "--maxWorkers=1", ...first.red]);
      line = `${node}: ${first.passed - first.passedInRed + again.passed} passed, ${again.red.length} files failed twice`;
      failed += again.red.length;
      line += `; tried again alone: ${first.red.map((file) => path.relative(".", file)).join(", ")}`;
    }
    told.push(line);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`the installed package under\n  ${told.join("\n  ")}`);
process.exitCode = failed === 0 ? 0 : 1;
