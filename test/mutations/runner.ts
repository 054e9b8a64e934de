import path from "node:path";
import { inspect } from "node:util";
import { BaseSequencer, createVitest, type TestModule, type Vitest } from "vitest/node";

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
  /** Those of the order that is worked on: vitest's own list holds those of all orders before. */
  const ended: TestModule[] = [];
  const vitest = await createVitest(
    "test",
    {
      watch: false,
      bail: 1,
      cache: false,
      reporters: [{ onTestModuleEnd: (module) => void ended.push(module) }],
      maxWorkers: 1,
      sequence: { sequencer: InOrder },
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
    ended.length = 0;
    void runTests(vitest, order.tests).then((errors) => process.send?.(judge(ended, errors)));
  });
  process.on("disconnect", () => process.exit());
  process.send?.("ready");
}

/** The quickest first, as they are listed; vitest would begin with the slowest. */
class InOrder extends BaseSequencer {
  override async sort<T>(files: T): Promise<T> {
    return await Promise.resolve(files);
  }
}

/** Gives the errors outside of tests. */
async function runTests(vitest: Vitest, tests: readonly string[]): Promise<readonly unknown[]> {
  const found = await Promise.all(tests.map((each) => vitest.globTestSpecifications([each])));
  const { unhandledErrors } = await vitest.runTestSpecifications(found.flat(), false);
  return unhandledErrors;
}

function judge(modules: readonly TestModule[], errors: readonly unknown[]): Verdict {
  const by = modules.flatMap((each) => [
    ...Array.from(each.children.allTests("failed"), (test) => test.fullName),
    ...each.errors().map((error) => error.message),
    ...[...each.children.allSuites()].flatMap((suite) => suite.errors().map((error) => error.message)),
  ]);
  const outside = errors.map((error) => inspect(error));
  // A module that never ended is one that ended its process.
  return { isNoticed: by.length + outside.length > 0 || modules.length === 0, by: [...by, ...outside] };
}
