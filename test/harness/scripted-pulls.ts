import { readFileSync } from "node:fs";
import path from "node:path";
import { type Outcome, dexdata } from "./dexdata.ts";
import { toRow } from "./rows.ts";
import type { Script } from "./scripted-server.ts";
import { serveInTest } from "./serve-in-test.ts";
import { createTestContext } from "./test-context.ts";

interface Pull extends Outcome {
  /** As in the receipt. */
  readonly complete: unknown;
  readonly proof: unknown;
  readonly requests: number;
}

/** Runs pulls one after another against one service, whose script may change in between. */
export async function servePulls(script: Script) {
  const service = { script };
  const server = await serveInTest(async (request, index) => await service.script(request, index));
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
    DEXDATA_NOW: "2026-11-21T08:54:00Z",
  };
  const receipt = path.join(createTestContext().home, "receipt.json");
  const run = async (words: string): Promise<Pull> => {
    const before = server.requests.length;
    const ended = await dexdata(`${words} --rpm unlimited -o ndjson --receipt ${receipt}`, { env });
    const { complete, proof } = toRow(readFileSync(receipt, "utf8"));
    return { ...ended, complete, proof, requests: server.requests.length - before };
  };
  return { service, run };
}
