import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { authorityFile, type CertificateName } from "../harness/certificates.ts";
import { json, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

let server: ScriptedServer;

const words = "networks --retries 0 --error-format text";

/** One request by the built program to a host with this certificate. */
async function ask(
  certificate: CertificateName,
  authorities: string,
  line = words,
): Promise<{ readonly exit: number | null; readonly stdout: string; readonly stderr: string }> {
  server = await serveInTest(() => json('[{"id":"ethereum"}]'), { certificate });
  const child = start(line.split(" "), { DEXDATA_BASE_URL: server.url, NODE_EXTRA_CA_CERTS: authorities });
  const { exit, stdout, stderr } = await ended(child);
  return { exit, stdout: String(stdout), stderr: stderr.replaceAll(new URL(server.url).host, "HOST") };
}

test("a host is trusted if NODE_EXTRA_CA_CERTS names its authority", async () => {
  expect(await ask("sound", authorityFile)).toEqual({ exit: 0, stdout: '{"id":"ethereum"}\n', stderr: "" });
});

test.each([
  ["expired", "expired (CERT_HAS_EXPIRED)", "check this machine's clock"],
  ["early", "not valid yet (CERT_NOT_YET_VALID)", "check this machine's clock"],
  ["other-name", "issued for another host (ERR_TLS_CERT_ALTNAME_INVALID)", "check the host name"],
] as const)("a host is not trusted if its certificate is %s", async (certificate, said, next) => {
  const { exit, stdout, stderr } = await ask(certificate, authorityFile);
  expect({ exit, stdout }).toEqual({ exit: 7, stdout: "" });
  expect(stderr.split("\n")[0]).toBe(`error: cannot verify the certificate of HOST: ${said}`);
  expect(stderr.split("\n")[1]).toContain(next);
  expect(server.requests).toEqual([]);
});

test.each([
  ["does not exist", undefined],
  ["contains no readable certificate", "not a certificate\n"],
])("if that file %s, the error names the variable to set and doctor shows the cause", async (_, text) => {
  const file = path.join(temporaryFolder(), "authority.pem");
  if (text !== undefined) writeFileSync(file, text);
  const asked = await ask("sound", file);
  expect(asked.exit).toBe(7);
  expect(asked.stderr).toContain("cannot verify the certificate of HOST: unknown certificate authority");
  expect(asked.stderr).toContain("NODE_EXTRA_CA_CERTS");
  const examined = await ask("sound", file, "doctor --no-stream -o table");
  expect(examined.exit).not.toBe(0);
  expect(examined.stdout).toMatch(
    new RegExp(
      `fail {2}certificates +NODE_EXTRA_CA_CERTS: ${file} ${text === undefined ? "cannot be read \\(no such file\\)" : "contains no readable certificate"}`,
      "u",
    ),
  );
});
