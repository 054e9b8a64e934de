import { createClock } from "../../bin/process-clock.ts";
import { updateStateFile } from "../../src/base/files/json-file.ts";

/**
 * Bundled and run as a child process by `update-json-file.test.ts`: on a message, counts to a number in a
 * file. Without a parent to send one, as in `containers.slow.test.ts`, it starts at once.
 */
const [file = "", times = "0"] = process.argv.slice(2);

const context = {
  platform: "linux",
  pid: process.pid,
  random: Math.random,
  signal: new AbortController().signal,
  clock: createClock(),
};

async function count(): Promise<void> {
  for (let done = 0; done < Number(times); done += 1) {
    await updateStateFile(context, file, (before) => {
      const counted =
        typeof before === "object" && before !== null && "counted" in before ? before.counted : 0;
      return { after: { counted: Number(counted) + 1 }, result: undefined };
    });
  }
}

function run(): void {
  count()
    .catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    })
    .finally(() => process.disconnect?.());
}

if (process.send === undefined) run();
else {
  process.once("message", run);
  process.send("ready");
}
