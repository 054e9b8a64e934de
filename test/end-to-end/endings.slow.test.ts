import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { inTime } from "../harness/in-time.ts";
import { answerOf, type Listing, manyEvents } from "../harness/listing.ts";
import { toRow } from "../harness/rows.ts";
import { empty, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
describe("a pull that ends while requests are in flight or wait for the rate limit", () => {
  test.each([
    [402, 5, "30"],
    // Not retried, unlike 503, because the run already had a response.
    [501, 7, "unlimited"],
  ])(
    "status %i: the process ends at once, and unsent requests are not counted as spent",
    async (status, exit, rpm) => {
      const listing: Listing = { events: manyEvents(1500, 2) };
      const server = await serveInTest(async (request) => {
        await new Promise((resolve) => {
          setTimeout(resolve, 50);
        });
        if (request.query.get("page") !== "3") return answerOf(listing, request);
        return status === 402 ? json({ error: "payment_required", tier: "pro" }, { status }) : empty(status);
      });
      const state = path.join(folder, String(status));
      const env = {
        DEXDATA_PRO_BASE_URL: server.url,
        DEXDATA_API_KEY: "api_pro_0123456789",
        DEXDATA_TIER: "pro",
        DEXDATA_STATE_DIR: state,
        DEXDATA_BUDGET_DAILY: "1000",
      };
      const words = [
        "txns",
        "ethereum",
        "0x0000000000000000000000000000000000000001",
        "--all",
        "--rpm",
        rpm,
        "-o",
        "ndjson",
      ];
      const child = start(words, env);
      const ending = ended(child, 30_000);
      await Promise.race([new Promise((resolve) => child.stderr.once("data", resolve)), ending]);
      // The process waits for one slot at this rate, and does not wait after it prints the error.
      const outcome = await inTime(rpm === "unlimited" ? 3000 : 12_000, ending);
      expect(outcome.exit).toBe(exit);
      const seen = server.requests.length;
      await new Promise((resolve) => {
        setTimeout(resolve, 300);
      });
      expect(server.requests.length).toBe(seen);
      const file = readdirSync(state).find((name) => /^budget-\w+\.json$/u.test(name)) ?? "";
      const booked = Number(toRow(readFileSync(path.join(state, file), "utf8"))["credits"]);
      expect(booked).toBeGreaterThan(0);
      expect(booked).toBeLessThanOrEqual(seen);
    },
  );
});
