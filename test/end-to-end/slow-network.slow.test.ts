import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { ended, start } from "../harness/binary.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

/** Accepts connections, except while it is stopped and its queue is full: then the system drops their first packet. */
const server = `
  const respond = (_, response) => response.setHeader("content-type", "application/json").end('[{"id":"ethereum"}]');
  const server = require("node:http").createServer(respond);
  server.on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\\r\\n\\r\\n"));
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => process.stdout.write(String(server.address().port)));
`;

/** The name has an address on IPv6 as well, where nothing listens. */
const names = `
  const all = [{ address: "127.0.0.1", family: 4 }, { address: "::1", family: 6 }];
  require("node:dns").lookup = (name, options, callback) => setImmediate(callback, null, all);
`;

const proxied = (name: string): Readonly<Record<string, string>> => ({
  DEXDATA_BASE_URL: "https://host.test",
  HTTPS_PROXY: `http://${name}`,
});
const refused = (name: string): RegExp =>
  new RegExp(`^error: proxy http://${name} refused to connect to host.test \\(HTTP 403\\)\n`, "u");

test.each([
  ["host", (name: string) => ({ DEXDATA_BASE_URL: `http://${name}` }), 0, () => /^$/u],
  ["proxy", proxied, 7, refused],
] as const)(
  "a %s with two addresses is reached if a connection takes longer than a quarter of a second",
  async (_, env, expected, said) => {
    const hook = path.join(temporaryFolder(), "names.cjs");
    writeFileSync(hook, names);
    const slow = spawn(process.execPath, ["-e", server], { stdio: "pipe" });
    const waiting: net.Socket[] = [];
    try {
      const port = String((await once(slow.stdout, "data"))[0]);
      slow.kill("SIGSTOP");
      for (let count = 0; count < 6; count += 1)
        waiting.push(net.connect(Number(port), "127.0.0.1").on("error", () => undefined));
      await wait(200);
      const words = "networks --retries 0 --error-format text";
      const name = `localhost:${port}`;
      const end = ended(start(words.split(" "), { ...env(name), NODE_OPTIONS: `--require ${hook}` }));
      await wait(1500);
      slow.kill("SIGCONT");
      const { exit, stdout, stderr } = await end;
      expect([exit, String(stdout)]).toEqual([expected, expected === 0 ? '{"id":"ethereum"}\n' : ""]);
      expect(stderr).toMatch(said(name));
    } finally {
      for (const socket of waiting) socket.destroy();
      slow.kill("SIGKILL");
    }
  },
);
