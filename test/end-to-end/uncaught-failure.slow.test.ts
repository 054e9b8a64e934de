import { spawn } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { binaryEnv, ended, packageFolder } from "../harness/binary.ts";

/** Port 9 of 127.0.0.1 refuses connections. */
const client =
  'library.createClient({ environment: { DEXDATA_BASE_URL: "http://127.0.0.1:9" }, retries: 0 })';

test.each([
  ["a parameter that does not exist", `${client}.pool({ pool: "0x1" })`, "did you mean pool_address?"],
  [
    "an option that is invalid",
    `library.createClient({ apiKey: "api_x" })`,
    "copy it again, without anything around it",
  ],
  ["a refused connection", `${client}.networks().toArray()`, "check the host name and your network"],
  ["an option of a stream", `${client}.stream({ feed: "price", assets: [] })`, undefined],
  ["an option of the sandbox", "sandbox.startSandbox({ port: -1 })", undefined],
])(
  "Node shows the failure of %s with its next step, and lines that people can read",
  async (_, call, next) => {
    const entry = (name: string): string => JSON.stringify(path.join(packageFolder, "dist", `${name}.cjs`));
    const script = `const library = require(${entry("library")}), sandbox = require(${entry("sandbox")});\n${call};`;
    const { exit, stderr } = await ended(
      spawn(process.execPath, ["-e", script], { env: binaryEnv(), stdio: "pipe" }),
    );
    expect(exit).toBe(1);
    expect(stderr).toMatch(/^Failure: /mu);
    if (next !== undefined) expect(stderr).toContain(`  next: '${next}`);
    // The line of the source, before the message.
    expect(stderr).toMatch(/^(?:return new Failure\(message,|.*throw [\w.]+\()/mu);
    expect(Math.max(...stderr.split("\n").map(({ length }) => length))).toBeLessThan(300);
    expect(stderr).not.toContain("details: {");
  },
);
