import { afterAll, beforeAll, expect, test } from "vitest";
import { type DisturbingProxy, startDisturbingProxy } from "../harness/disturbing-proxy.ts";
import { type RecordingDesk, recordRun } from "../harness/recorded-run.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { disturbedRuns, typicalRuns } from "./recorded-runs/runs.ts";

const folder = temporaryFolder();
const unlimited = { requestsPerMinute: Number.POSITIVE_INFINITY } as const;
const sandboxes = {
  spec: useSandbox(unlimited),
  public: useSandbox({ ...unlimited, dialect: "public" }),
} as const;
let proxies: { readonly spec: DisturbingProxy; readonly public: DisturbingProxy };
beforeAll(async () => {
  proxies = {
    spec: await startDisturbingProxy(sandboxes.spec.running().restPaid),
    public: await startDisturbingProxy(sandboxes.public.running().restPaid),
  };
});
afterAll(async () => {
  await proxies.spec.close();
  await proxies.public.close();
});

/** Shows what a change changes: requests, output, exit codes and files. `npm run generate` records it again. */
test.each([
  ["typical", typicalRuns],
  ["disturbed", disturbedRuns],
] as const)(
  "the %s runs are the recorded ones",
  async (name, runs) => {
    const desk: RecordingDesk = { sandboxes, proxies, folder };
    const parts: string[] = [];
    for (const run of runs) parts.push(await recordRun(desk, run));
    await expect(parts.join("\n")).toMatchFileSnapshot(`recorded-runs/${name}.txt`);
  },
  300_000,
);
