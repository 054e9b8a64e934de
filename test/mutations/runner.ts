import path from "node:path";
import { createVitest, type Vitest } from "vitest/node";

/** What a runner is asked: to run these tests on this text of this file. */
export interface Order {
  /** Empty: nothing is changed. */
  readonly file: string;
  readonly source: string;
  readonly tests: readonly string[];
}

export interface Verdict {
  readonly isNoticed: boolean;
  /** The tests that failed. */
  readonly by: readonly string[];
}

/**
 * One vitest that stays, told over IPC what to run: the change is made where files are loaded, so nothing is written, and
 * all that did not change is there already. A change that hangs is ended by whoever gave the order.
 */
export async function serveOrders(): Promise<void> {
  let changed: Pick<Order, "file" | "source"> = { file: "", source: "" };
  const vitest = await createVitest(
    "test",
    {
      watch: false,
      bail: 1,
      reporters: [{}],
      maxWorkers: 1,
      testTimeout: 10_000,
      setupFiles: ["test/harness/no-public-host.ts", "test/mutations/setup.ts"],
    },
    {
      plugins: [
        {
          name: "mutant",
          enforce: "pre",
          load: (id) => (id === changed.file ? changed.source : undefined),
        },
      ],
    },
  );
  process.on("message", (order: Order) => {
    const file = order.file === "" ? "" : path.resolve(order.file);
    const touched = [changed.file, file].filter((each) => each !== "");
    changed = { file, source: order.source };
    for (const each of touched) vitest.invalidateFile(each);
    void judge(vitest, order.tests).then((verdict) => process.send?.(verdict));
  });
  process.on("disconnect", () => process.exit());
  process.send?.("ready");
}

async function judge(vitest: Vitest, tests: readonly string[]): Promise<Verdict> {
  const wanted = await vitest.globTestSpecifications([...tests]);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted, false);
  const failed = testModules.filter((each) => !each.ok());
  const by = failed.flatMap((each) => [
    ...[...each.children.allTests("failed")].map((test) => test.fullName),
    ...each.errors().map((error) => error.message),
  ]);
  return { isNoticed: failed.length > 0 || unhandledErrors.length > 0, by };
}
