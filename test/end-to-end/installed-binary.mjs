// installed-binary.mjs: installs build/dexdata-… with bin/install.sh from a local server, as a user without Node does, and
// checks it from outside. `npm run build:binary` builds it first.
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

const home = mkdtempSync(path.join(tmpdir(), "dexdata-binary-"));
const program = path.join(home, ".local/bin/dexdata");

const server = createServer((request, response) => {
  const file = path.join("build", path.basename(request.url ?? ""));
  if (existsSync(file)) response.end(readFileSync(file));
  else response.writeHead(404).end();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

/** Without PATH, and so without Node; the shell finds the system's programs by its own default. */
const runBare = (file, ...words) =>
  new Promise((resolve) =>
    execFile(file, words, { env: { HOME: home }, timeout: 60_000 }, (cause, stdout, stderr) =>
      resolve({ isRight: cause === null, stdout, stderr }),
    ),
  );

let failed = 0;
function check(what, holds, seen = "") {
  if (holds) return;
  failed += 1;
  console.log(`not as expected: ${what}\n${seen}`);
}

try {
  const start = performance.now();
  const base = `http://127.0.0.1:${server.address().port}`;
  const installed = await runBare("/bin/sh", path.resolve("bin/install.sh"), base);
  check("install.sh", installed.isRight, installed.stderr);
  const search = await runBare(program, "pools", "search", "ethereum", "--sandbox");
  check("a search in the sandbox", search.isRight && search.stdout.split("\n").length === 11, search.stderr);
  const seconds = (performance.now() - start) / 1000;
  check("installing and the first search take less than 10 s", seconds < 10, `${seconds} s`);
  const smoke = spawnSync(process.execPath, ["test/end-to-end/smoke.mjs", program], { stdio: "inherit" });
  check("smoke commands", smoke.status === 0);
  const words = await runBare(program, "__complete", "bash", "pools", "se");
  check("completion", words.stdout.includes("search"), words.stderr);
  const script = await runBare(program, "completion", "zsh");
  check("completion scripts", script.stdout === readFileSync("completions/_dexdata", "utf8"), script.stderr);
  const page = await runBare(program, "pools", "search", "--help");
  check("help", page.stdout.includes("--liquidity-usd-min"), page.stderr);
  check("nothing else in the directory", readdirSync(path.dirname(program)).join() === "dexdata");
  console.log(
    `${failed === 0 ? "installed and used" : `${failed} checks failed`} in ${seconds.toFixed(1)} s`,
  );
} finally {
  server.close();
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
