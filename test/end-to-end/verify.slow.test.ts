import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { hasTmux, openTerminal } from "../harness/terminal.ts";

const folder = temporaryFolder();
const small = path.join(folder, "small.ndjson");
const large = path.join(folder, "large.ndjson");
const rows = 1_000_000;

/** Transactions one second apart, oldest last. */
function writeRows(file: string, count: number): void {
  const descriptor = openSync(file, "w");
  const newest = Date.parse("2026-11-21T08:54:00Z");
  let text = "";
  for (let index = 0; index < count; index += 1) {
    const time = new Date(newest - index * 1000).toISOString().replace(".000Z", "Z");
    const id = `0x${index.toString(16).padStart(64, "0")}`;
    text += `{"id":"${id}","log_index":${index % 500},"token_0":"0x1","token_1":"0x2","amount_0":"${index}","amount_1":"-1","price_0":0.5,"created_at":"${time}"}\n`;
    if (text.length < 1_000_000 && index < count - 1) continue;
    writeSync(descriptor, text);
    text = "";
  }
  closeSync(descriptor);
}

beforeAll(() => {
  writeRows(small, 10_000);
  writeRows(large, rows);
});

async function peakMegabytes(file: string): Promise<number> {
  const peak = path.join(folder, `${path.basename(file)}.peak`);
  const env = {
    NODE_OPTIONS: `--require ${path.resolve("test/harness/peak-memory.cjs")}`,
    DEXDATA_TEST_PEAK: peak,
  };
  const { exit, stdout, stderr } = await ended(start(["verify", file], env), 300_000);
  expect({ exit, stdout: stdout.toString("utf8"), stderr }).toEqual({ exit: 0, stdout: "", stderr: "" });
  return Number(readFileSync(peak, "utf8").trim()) / 1024;
}

// The hashes that find repeated rows need up to 12 bytes per row, and twice that while their table grows.
test.runIf(process.platform === "linux")(
  `verify of ${rows} rows needs at most 50 MB more than of 10,000`,
  async () => {
    const [before, after] = [await peakMegabytes(small), await peakMegabytes(large)];
    process.stdout.write(`verify: ${before.toFixed(1)} MB, ${after.toFixed(1)} MB\n`);
    expect(after - before).toBeLessThanOrEqual(50);
  },
  400_000,
);

const terminal = hasTmux ? openTerminal() : undefined;
afterAll(() => terminal?.close());

test.skipIf(terminal === undefined)(
  "verify on a terminal shows progress, and Ctrl-C ends it at once with a clean line",
  async () => {
    terminal?.enter(`dexdata verify ${large}`);
    await terminal?.until(/[\d,]+ rows, about \d+s left, [\d,]+ rows\/s|[\d,]+ rows.*left/u);
    const pressed = performance.now();
    terminal?.press("C-c");
    const lines = await terminal?.until(/\n\$$/u);
    expect(performance.now() - pressed).toBeLessThan(3000);
    expect(lines?.filter((line) => /left/u.test(line))).toEqual([]);
    terminal?.enter("echo exit $?");
    await terminal?.until(/^exit 130$/mu);
  },
  60_000,
);
