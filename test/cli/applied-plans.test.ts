import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { ledgerInTest } from "../harness/ledger.ts";
import { json, slow } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { listen } from "../tail/stream-run.ts";
import { ping, price } from "../tail/keeping.ts";

const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const warned = (plan: string): string =>
  `warning: the service applied the ${plan} plan, not pro; see: dexdata auth status\n`;

function receiptIn(file: string): object {
  const { plan, plans } = JSON.parse(readFileSync(file, "utf8"));
  return { plan, plans };
}

test.each([
  [`pools search ethereum --limit 400`, "plan=dev@2,plan=free@3", ["dev", "free"]],
  [`txns ethereum ${pool} --from -3h --all --parallel 1`, "plan=dev@2-3", ["dev"]],
  [`api /networks/ethereum/pools/search --paginate --limit 300`, "plan=dev@2", ["dev"]],
  [`sync ${path.join(folder, "lake")} ethereum:${pool} --from 2026-11-21`, "plan=dev@2", ["dev"]],
  [`prices ethereum ${pool} --retries 2`, "plan=dev@1,429@1", ["dev"]],
])("K6: %s with %s: each other plan is reported once", async (words, faults, plans) => {
  const { env } = await ledgerInTest({ faults });
  const { exit, stderr } = await dexdata(words, { env: env() });
  expect(exit).toBe(0);
  for (const plan of plans) expect(stderr.split(warned(plan)).length).toBe(2);
  expect(stderr.split("warning: the service applied").length).toBe(plans.length + 1);
});

test("K8: a plan is compared without case, and without the spaces around a header value", async () => {
  const server = await serveInTest(() =>
    json({ id: pool, chain: "ethereum" }, { headers: { "x-api-plan": " Pro \t" } }),
  );
  const outcome = await dexdata(`pool ethereum ${pool} --require-plan pro`, {
    env: { DEXDATA_PRO_BASE_URL: server.url, DEXDATA_API_KEY: "api_pro_0123456789", DEXDATA_TIER: "pro" },
  });
  expect(outcome).toMatchObject({ exit: 0, stderr: "" });
});

test("K6: a watch reports it in the round in which it happens", async () => {
  const { env } = await ledgerInTest({ faults: "plan=dev@1" });
  const words = `pool ethereum ${pool} --watch 10s --deadline 35s`;
  const { stderr, stdout } = await dexdata(words, { env: env(), flows: true });
  expect(stderr.split(warned("dev")).length).toBe(2);
  expect(stderr.indexOf("applied the dev plan")).toBeLessThan(stderr.indexOf("--deadline"));
  expect(stdout).not.toBe("");
});

test("K6: the receipt lists the plans with their responses, for all runs of the pull", async () => {
  const [file, receipt] = [path.join(folder, "rows.ndjson"), path.join(folder, "receipt.json")];
  const words = `pools search ethereum --limit 500 --out ${file} --resume --receipt ${receipt} --parallel 1`;
  const first = await ledgerInTest({ faults: "plan=dev@2,500@4" });
  const all = { DEXDATA_PRO_BASE_URL: first.env()["DEXDATA_PRO_BASE_URL"] };
  expect((await dexdata(`${words} --retries 0`, { env: first.env() })).exit).toBe(7);
  expect(receiptIn(receipt)).toEqual({ plan: null, plans: { pro: 3, dev: 1 } });
  expect((await dexdata(words, { env: { ...first.env(), ...all } })).exit).toBe(0);
  expect(receiptIn(receipt)).toEqual({ plan: null, plans: { pro: 5, dev: 1 } });
  const other = path.join(folder, "other.json");
  await dexdata(`networks --receipt ${other} --out ${path.join(folder, "n.ndjson")}`, { env: first.env() });
  expect(receiptIn(other)).toEqual({ plan: "pro", plans: { pro: 1 } });
});

test("the receipt of a resumed pull counts the failed requests of its first run, too", async () => {
  const [file, receipt] = [path.join(folder, "failed.ndjson"), path.join(folder, "failed.json")];
  const words = `pools search ethereum --limit 500 --out ${file} --resume --receipt ${receipt} --parallel 1`;
  const { env } = await ledgerInTest({ faults: "500@4,500@5,500@6" });
  const failed = await dexdata(`${words} --retries 2`, { env: env() });
  expect({ exit: failed.exit, ...receiptIn(receipt) }).toEqual({ exit: 7, plan: "pro", plans: { pro: 6 } });
  const resumed = await dexdata(words, { env: env() });
  expect({ exit: resumed.exit, ...receiptIn(receipt) }).toEqual({ exit: 0, plan: "pro", plans: { pro: 8 } });
});

test("K6: --require-plan ends a stream before its events are read", async () => {
  const server = await serveInTest((_, index) =>
    slow({
      headers: { "content-type": "text/event-stream", "x-api-plan": index === 0 ? "keyless" : "free" },
      chunks: [ping, price("1")],
      stayOpen: index > 0,
    }),
  );
  const asset = `ethereum:${pool}`;
  const { exit, stderr, stdout } = await listen(`${asset} --require-plan keyless`, server).outcome;
  expect({ exit, openings: server.requests.length }).toEqual({ exit: 4, openings: 2 });
  expect(stdout.split("\n").filter(Boolean)).toHaveLength(1);
  expect(stderr).toContain("the service applied the free plan, but --require-plan is keyless");
});

test("K6: --require-plan ends a follow whose stream has another plan", async () => {
  const { env } = await ledgerInTest();
  const server = await serveInTest(() =>
    slow({
      headers: { "content-type": "text/event-stream", "x-api-plan": "free" },
      chunks: [ping],
      stayOpen: true,
    }),
  );
  const words = `txns ethereum ${pool} --follow --require-plan pro -o ndjson`;
  const { exit, stderr } = await dexdata(words, {
    env: { ...env(), DEXDATA_STREAMING_PRO_URL: server.url },
    flows: true,
  });
  expect({ exit, openings: server.requests.length }).toEqual({ exit: 4, openings: 1 });
  expect(stderr).toContain("the service applied the free plan, but --require-plan is pro");
});
