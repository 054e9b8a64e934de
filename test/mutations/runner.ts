import path from "node:path";
import { inspect } from "node:util";
import { BaseSequencer, createVitest, type TestModule, type Vitest } from "vitest/node";

/** An order to a runner: run these tests with this text of this file. */
export interface Order {
  /** Empty for a run without a change. */
  readonly file: string;
  readonly source: string;
  readonly tests: readonly string[];
}

export interface Verdict {
  readonly isNoticed: boolean;
  /** The failed tests. */
  readonly by: readonly string[];
}

/**
 * A persistent vitest process that receives its orders over IPC. The change is made when files are loaded, so
 * no file is written and unchanged modules stay loaded. The process that gave the order ends a change that
 * hangs.
 */
export async function serveOrders(): Promise<void> {
  let changed: Pick<Order, "file" | "source"> = { file: "", source: "" };
  /** The tests of the current order: vitest's own list also contains the tests of all earlier orders. */
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

/** The fastest first, in list order; vitest would start with the slowest. */
class InOrder extends BaseSequencer {
  override async sort<T>(files: T): Promise<T> {
    return await Promise.resolve(files);
  }
}

/** Returns the errors outside of tests. */
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
  // A module that did not end is one that ended its process.
  return { isNoticed: by.length + outside.length > 0 || modules.length === 0, by: [...by, ...outside] };
}
