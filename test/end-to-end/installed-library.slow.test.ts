import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { nodes, warnIfLeftOut } from "../harness/nodes.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

for (const major of [20, 22, 24]) {
  const found = nodes.filter((each) => each.major === major);
  warnIfLeftOut(found, `the library and its sandbox under Node ${major}`, major);
}

const run = promisify(execFile);
const manual = readFileSync("docs/library.md", "utf8");
const example = /^```ts\n(.*?)^```$/msu.exec(manual)?.[1] ?? "";
const program = /```js\n([^`]+)```/u.exec(manual)?.[1] ?? "";

/** Follows the example program, which declares the client. */
const programTypeUses = `
const row = (await client.tokensSearch({ order_by: "fdv_usd", created_after: new Date() }, { limit: 1 }).toArray())[0];
const price: number | null | undefined = row?.price_usd;
const exact: Promise<string | null | undefined> = createClient({ numbers: "text" }).pool({ network: "a", pool_address: "b" }).then((pool) => pool.last_price);
const raw = async (): Promise<string | undefined> => (await client.poolTransactions({ network: "a", pool_address: "b" }).toArray())[0]?.amount_0;
// @ts-expect-error an order that the service does not know
client.tokensSearch({ order_by: "price_usd" });
// @ts-expect-error a parameter that is not there
client.networks({ limit: 1 });
// @ts-expect-error a pool needs its address
void client.pool({ network: "a" });
export { price, exact, raw };
`;

/** Uses of the types that only a compiler can check. */
const typeUses = `
import { createClient, Failure, type KnownCode } from "dexdata";
import { startSandbox, type ReceivedRequest } from "dexdata/sandbox";

export function advice(cause: Failure): string | undefined {
  const { retryable, why, next, body }: {
    retryable: boolean;
    why: string | undefined;
    next: string | undefined;
    body: ReadonlyMap<string, string> | undefined;
  } = cause;
  // The union is open, so a code of tomorrow compiles.
  if (cause.code === "rate_limited" || cause.code === "max_credits" || cause.code === "a_new_code") return next;
  return retryable ? why : body?.get("message");
}
// @ts-expect-error a code that does not exist
export const misspelled: KnownCode = "rate_limitd";
// @ts-expect-error Failures are created by the library only
export const own = new Failure("x");
// @ts-expect-error an option that does not exist
export const unknown = startSandbox({ sped: 1 });
export async function texts(): Promise<string | null | undefined> {
  const sandbox = await startSandbox({ clock: new Date(), faults: ["500:5%"], rpm: "unlimited" });
  const client = createClient({ ...sandbox.clientOptions("dev"), numbers: "text" });
  const requests: readonly ReceivedRequest[] = sandbox.takeRequests();
  void requests[0]?.faults?.[0];
  // @ts-expect-error a plan that does not exist
  sandbox.clientOptions("gold");
  return (await client.pool({ network: "a", pool_address: "b" })).last_price;
}
`;

/** Closes sandboxes while responses, streams and faults wait for ten minutes. */
const leaving = `
const { startSandbox } = require("dexdata/sandbox");
const options = [{ latency: 600_000 }, { faults: "slow-body=10m" }, { faults: "slow-headers=10m" }, { faults: "stream-silent" }, {}];
const ignore = () => undefined;
async function main() {
  const sandboxes = await Promise.all(options.map((each) => startSandbox(each)));
  const read = async (url, headers) => await (await fetch(url, { headers })).text();
  const weth = "/sse/prices?method=token_price&chain=ethereum&address=0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
  for (const { urls, keys } of sandboxes) {
    read(urls.restPaid + "/networks", { authorization: keys.pro }).catch(ignore);
    read(urls.streamingPaid + weth, { authorization: keys.pro }).catch(ignore);
  }
  let requests = 0;
  while (requests < 7) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const sandbox of sandboxes) requests += sandbox.takeRequests().length;
  }
  await Promise.all(sandboxes.map((each) => each.close()));
  console.log("closed", requests);
}
main();
`;

/** Milliseconds: much longer than a step takes, but shorter than the waits of the closed sandboxes. */
const timeout = 180_000;

let folder = "";
/** What npm printed as it packed. */
let listing = "";

const env = () => ({ PATH: process.env["PATH"], HOME: folder, USERPROFILE: folder, TEMP: folder });

/** Packs the build and installs it in a new project, without the network. */
beforeAll(async () => {
  folder = temporaryFolder();
  const tarballs = path.join(folder, "packed");
  mkdirSync(tarballs);
  const shell = process.platform === "win32";
  const encoder = ["pack", "--json", "--ignore-scripts", "--pack-destination", tarballs];
  listing = (await run("npm", encoder, { shell })).stdout;
  const [tarball = ""] = readdirSync(tarballs);
  writeFileSync(path.join(folder, "package.json"), '{ "private": true }');
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts"];
  await run("npm", ["install", ...flags, path.join(tarballs, tarball)], { cwd: folder, env: env(), shell });
  for (const extension of ["mts", "cts"]) {
    writeFileSync(path.join(folder, `pools.test.${extension}`), example);
    writeFileSync(path.join(folder, `types.${extension}`), typeUses);
  }
  writeFileSync(path.join(folder, "program.mts"), `${program}${programTypeUses}`);
  writeFileSync(path.join(folder, "leaving.cjs"), leaving);
}, timeout);

test("the package contains the program and its documents, and nothing else", () => {
  const unpacked = Number(/"unpackedSize": (\d+)/u.exec(listing)?.[1]);
  expect(unpacked).toBeLessThan(2_200_000);
  const paths = [...listing.matchAll(/"path": "([^"]+)"/gu)].map(([, file = ""]) => file);
  expect(paths).toEqual(expect.arrayContaining(["dist/dexdata.cjs", "docs/guide.md", "docs/reference.md"]));
  const outside = paths.filter((file) => !/^(?:dist|completions|docs|examples)\//u.test(file));
  expect(outside.toSorted()).toEqual(["LICENSE", "README.md", "THIRD-PARTY-LICENSES", "package.json"]);
});

test(
  "the examples in docs/library.md compile, and the types reject the parameters that the service rejects",
  { timeout },
  async () => {
    const types = ["--typeRoots", path.resolve("node_modules/@types"), "--types", "node"];
    const flags = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    const files = ["pools.test.mts", "pools.test.cts", "types.mts", "types.cts", "program.mts"];
    const words = ["--module", "nodenext", "--target", "es2023", ...flags, ...types, ...files];
    const tsc = path.resolve("node_modules/.bin/tsc");
    const compiling = run(process.execPath, [tsc, ...words], { cwd: folder });
    expect((await compiling.catch((cause: unknown) => Object(cause))).stdout).toBe("");
    expect(readFileSync(path.join(folder, "pools.test.cjs"), "utf8")).toContain('require("dexdata/sandbox")');
    expect(readFileSync(path.join(folder, "pools.test.mjs"), "utf8")).toContain('from "dexdata/sandbox"');
  },
);

describe.each(nodes)("under Node $version", { timeout }, ({ node }) => {
  test.each(["pools.test.mjs", "pools.test.cjs"])("%s passes", async (file) => {
    const { stdout } = await run(node, [file], { cwd: folder, env: env() });
    expect(stdout).toMatch(/^\S+ pass 3$/mu);
    expect(stdout).toMatch(/^\S+ fail 0$/mu);
  });

  test("both entries share one Failure", async () => {
    const script =
      'import { Failure } from "dexdata"; import { startSandbox } from "dexdata/sandbox"; await startSandbox({ port: -1 }).catch((cause) => console.log(cause instanceof Failure, cause.code));';
    const words = ["--input-type=module", "--eval", script];
    expect((await run(node, words, { cwd: folder, env: env() })).stdout).toBe("true usage\n");
  });

  test("closed sandboxes leave nothing that keeps the process alive", async () => {
    const { stdout } = await run(node, ["leaving.cjs"], { cwd: folder, env: env(), timeout: 170_000 });
    expect(stdout).toMatch(/^closed \d+\n$/u);
  });
});
