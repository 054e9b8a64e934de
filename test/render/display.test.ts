import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Key } from "../../src/base/context/context.ts";
import { openDisplay } from "../../src/cli/render/display.ts";
import { createBufferedOutput } from "../../src/cli/render/held-output.ts";
import { createTestContext } from "../harness/test-context.ts";

const alternateScreen = "\u001B[?1049h";

test("a process that was stopped without notice gets the screen and the keys again when it continues", async () => {
  const context = createTestContext({ isTerminal: true, columns: 80 });
  const keys: Key[] = [];
  const display = openDisplay(
    { ...context, stderr: createBufferedOutput(context.stderr) },
    {
      frame: () => ["a picture"],
      lastFrame: () => [],
      pressed: (key) => keys.push(key),
      said: () => undefined,
    },
  );
  const entered = async (times: number): Promise<void> => {
    for (let tries = 0; tries < 400; tries += 1) {
      const parts = context.stdoutText().split(alternateScreen);
      if (parts.length === times + 1 && parts.at(-1)?.includes("a picture") === true) return;
      await wait(5);
    }
    throw new Error(`the screen was not entered ${times} times`);
  };
  await entered(1);
  // SIGSTOP cannot be caught, so nothing happens before SIGCONT.
  context.goOn();
  await entered(2);
  expect(context.press("s")).toBe(true);
  expect(keys).toEqual(["s"]);
  await context.suspend();
  expect(context.press("s")).toBe(false);
  context.goOn();
  await entered(3);
  expect(context.press("up")).toBe(true);
  expect(keys).toEqual(["s", "up"]);
  await display.close();
  expect(context.press("s")).toBe(false);
});
