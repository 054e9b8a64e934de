import { readFileSync } from "node:fs";
import { createRenderer } from "../../src/cli/render/formats/formats.ts";
import { createPage } from "../../src/client/page.ts";
import { endpointOf, plain } from "./render.ts";

/**
 * `node render-speed.cjs FORMAT [FIELD …] < ROWS`: prints how many times as long writing a page takes as parsing it. The
 * fastest of many runs counts, because other work on the machine only adds time.
 */
async function measure(format: "csv" | "tsv" | "ndjson", fields: readonly string[]): Promise<number> {
  const rows = readFileSync(0, "utf8");
  const page = createPage(rows, JSON.parse(rows), "rows");
  const renderer = await createRenderer({
    output: { isTerminal: false, columns: undefined, write: () => Promise.resolve() },
    format,
    endpoint: endpointOf("network_pools_search"),
    groups: ["rows"],
    ...plain,
    fields: fields.length === 0 ? undefined : fields,
  });
  const best = { parse: Infinity, written: Infinity };
  for (let turn = 0; turn < 1000; turn++) {
    const start = performance.now();
    JSON.parse(rows);
    const parsed = performance.now();
    await renderer.page(page);
    best.parse = Math.min(best.parse, parsed - start);
    best.written = Math.min(best.written, performance.now() - parsed);
  }
  return best.written / best.parse;
}

const [format = "csv", ...fields] = process.argv.slice(2);
if (format !== "csv" && format !== "tsv" && format !== "ndjson") throw new Error(`${format} is not measured`);
void measure(format, fields).then((ratio) => process.stdout.write(String(ratio)));
