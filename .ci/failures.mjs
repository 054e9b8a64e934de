// Reads vitest's report: `node .ci/failures.mjs REPORT failures|counts`. What failed must be readable at the end of a log
// whose beginning may be lost.
import { readFileSync } from "node:fs";
import path from "node:path";

const [report, wanted] = process.argv.slice(2);
const { testResults, numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
const failed = testResults.filter((file) => file.status === "failed");
const nameOf = (file) => path.relative(process.cwd(), file.name);

if (wanted === "counts") console.log(numPassedTests, numFailedTests);
else
  for (const file of failed) {
    const tests = file.assertionResults.filter((test) => test.status === "failed");
    // A file may fail as a whole: at an import, in a hook.
    if (tests.length === 0) console.log(`FAILED ${nameOf(file)}\n${file.message}`);
    for (const test of tests)
      console.log(
        `FAILED ${nameOf(file)}: ${test.fullName}\n${test.failureMessages.join("\n").slice(0, 1500)}`,
      );
  }
