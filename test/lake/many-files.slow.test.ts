import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Dataset } from "../../src/lake/dataset.ts";
import { type Footer, identityOf } from "../../src/lake/footer.ts";
import { writePart } from "../../src/lake/files/lake-file.ts";
import { fileNameOf, folderOf, periodsBetween } from "../../src/lake/layout.ts";
import { ended, start } from "../harness/binary.ts";
import { dataFiles, stampsOf } from "../harness/lake.ts";
import { isLong } from "../harness/long.ts";
import { json, type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const [pools, days] = isLong ? [50, 400] : [50, 6];
const now = Date.parse("2026-11-21T08:54:00Z") / 1000;
const root = path.join(temporaryFolder(), "lake");
let server: ScriptedServer | undefined;

beforeAll(async () => {
  server = await startScriptedServer(() =>
    json(
      { transactions: [], page_info: { limit: 100, page: 1, total_items: 0, total_pages: 0 } },
      { headers: { Date: new Date(now * 1000).toUTCString() } },
    ),
  );
  const today = Math.floor(now / 86_400) * 86_400;
  const lines: string[] = [];
  for (let pool = 0; pool < pools; pool += 1) {
    const address = `0x${String(pool).padStart(40, "0")}`;
    const from = today - days * 86_400;
    const dataset: Dataset = {
      kind: "transactions",
      network: "base",
      address,
      interval: undefined,
      by: "day",
      from,
      label: "",
    };
    lines.push(
      JSON.stringify({
        kind: dataset.kind,
        chain: dataset.network,
        address,
        by: "day",
        from: new Date(from * 1000).toISOString().slice(0, 10),
      }),
    );
    for (const period of periodsBetween(dataset, from, now)) {
      const isOpen = period.to + 86_400 > now;
      const footer = (rows_sha256: string): Footer => ({
        ...identityOf(dataset),
        period: { from: period.from, to: period.to },
        state: isOpen ? "open" : "rows",
        settled_to: Math.min(period.to, now - 7200),
        unsettled: 0,
        read_at: isOpen ? null : period.to + 5 * 86_400,
        total: isOpen ? null : 0,
        total_at: isOpen ? null : period.to + 5 * 86_400,
        rows: 0,
        rows_sha256,
        first: null,
        last: null,
        tokens: [],
        lost: [],
        // Files of earlier versions, without this mark, are counted again once, one of each dataset in each run.
        ...(!isOpen && { witnessed: true }),
        spilled: {},
        service: "a local server",
        dexdata: "0",
      });
      const folder = path.join(root, folderOf(dataset), period.name);
      mkdirSync(folder, { recursive: true });
      const part = path.join(folder, "part");
      await writePart(
        part,
        dataset.kind,
        [],
        (written) => footer(written.rows_sha256),
        () => undefined,
      );
      renameSync(part, path.join(folder, fileNameOf(isOpen ? "open" : "rows")));
    }
  }
  writeFileSync(path.join(root, "assets.ndjson"), lines.map((line) => `${line}\n`).join(""));
}, 1_200_000);
afterAll(async () => await server?.close());

const sync = async () =>
  await ended(
    start(["sync", root, "--rpm", "unlimited", "--now", "2026-11-21T08:54:00Z"], {
      DEXDATA_BASE_URL: server?.url ?? "",
    }),
    60_000,
  );

test(`a run with nothing to do looks at ${pools * (days + 1)} files, sends a request per dataset and changes nothing`, async () => {
  expect(dataFiles(root).length).toBe(pools * (days + 1));
  expect((await sync()).exit).toBe(0);
  const before = stampsOf(root);
  const sent = server?.requests.length ?? 0;
  const began = performance.now();
  const outcome = await sync();
  const seconds = (performance.now() - began) / 1000;
  expect({ exit: outcome.exit, stderr: outcome.stderr }).toEqual({ exit: 0, stderr: "" });
  expect((server?.requests.length ?? 0) - sent).toBe(pools);
  expect(stampsOf(root)).toEqual(before);
  console.log(`nothing to do: ${pools * (days + 1)} files in ${seconds.toFixed(2)} s`);
  // Alone on two cores, 20,000 files need less than 4 s, and 350 files less than 1 s.
  expect(seconds).toBeLessThan(isLong ? 8 : 4);
});
