import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { isLong } from "../harness/long.ts";
import { followDisturbed, type Stage } from "./follow-disturbed.ts";

test("the program behind a disturbing proxy, killed by SIGKILL, writes each row once", async () => {
  const seeds = Array.from({ length: isLong ? 12 : 2 }, (_, index) => index + 1);
  await Promise.all(
    seeds.map(async (seed) => {
      const { struck, stderr, ...rest } = await followDisturbed({ seed, share: 0.3, kills: 3 }, asProgram());
      expect(struck.length).toBeGreaterThan(0);
      const sound = { repeated: [], missing: [], foreign: [], exits: [0] };
      expect({ seed, ...rest }, stderr).toEqual({ seed, ...sound });
    }),
  );
}, 150_000);

/** The built program, in real time, killed by SIGKILL. */
function asProgram(): Stage {
  const began = performance.now();
  return {
    elapsed: () => performance.now() - began,
    sleep: async (milliseconds) => await sleep(milliseconds),
    follow: (words, env) => {
      const child = start(words, env);
      const end = ended(child, 120_000).then(({ exit, stderr }) => ({ exit: exit ?? undefined, stderr }));
      return { end, kill: () => child.kill("SIGKILL") };
    },
    close: async () => await Promise.resolve(),
  };
}
