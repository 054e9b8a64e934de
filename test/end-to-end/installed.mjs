// installed.mjs [node…]: packs the program, installs it without a network under each Node (this one unless told), runs
// the smoke commands and the library from there, and removes it again. Judged from outside.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const isWindows = process.platform === "win32";
const folder = mkdtempSync(path.join(tmpdir(), "dexdata-installed-"));
// npm is a program of Node: asked for by its own path, it needs no shell and no .cmd.
const npm = [process.env["npm_execpath"], ...besideNode(process.execPath)].find(
  (file) => file?.endsWith("npm-cli.js") && existsSync(file),
);
if (npm === undefined) throw new Error("npm is not beside this Node");

function besideNode(node) {
  const home = path.dirname(node);
  return ["../lib/node_modules", "node_modules", "../share/nodejs"].map((place) =>
    path.join(home, place, "npm", "bin", "npm-cli.js"),
  );
}

/** `NODE_OPTIONS` and settings of the machine stay out; nothing is fetched. */
const run = (node, words, cwd = folder) =>
  execFileSync(node, words, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      SystemRoot: process.env["SystemRoot"],
      HOME: folder,
      USERPROFILE: folder,
    },
  });
const runNpm = (node, ...words) =>
  run(node, [npm, "--offline", "--no-audit", "--no-fund", "--no-update-notifier", ...words]);

let failed = 0;
try {
  execFileSync(process.execPath, [npm, "pack", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  for (const node of nodes) {
    const prefix = path.join(folder, `prefix-${nodes.indexOf(node)}`);
    runNpm(node, "install", "--global", "--prefix", prefix, path.join(folder, tarball));
    const home = path.join(prefix, isWindows ? "" : "lib", "node_modules", "dexdata");
    const command = path.join(prefix, isWindows ? "dexdata.cmd" : path.join("bin", "dexdata"));
    const manual = path.join(prefix, "share", "man", "man1", "dexdata.1");
    const smoke = spawnSync(
      process.execPath,
      ["test/end-to-end/smoke.mjs", node, path.join(home, "dist", "dexdata.cjs")],
      {
        stdio: "inherit",
      },
    );
    const checks = {
      "smoke commands": () => smoke.status === 0,
      "the command is there": () => existsSync(command),
      // npm links no manuals on Windows.
      "the manual is there": () => isWindows || existsSync(manual),
      completes: () =>
        run(node, [path.join(home, "dist", "dexdata.cjs"), "__complete", "bash", "pools", "se"]).includes(
          "search",
        ),
      "gives the library": () => {
        const program = path.join(home, "..", "program.mjs");
        writeFileSync(
          program,
          'import { createClient, Failure } from "dexdata"; try { createClient({ rpm: 0 }); } catch (cause) { console.log(cause instanceof Failure, cause.code); }',
        );
        const said = run(node, [program]);
        rmSync(program);
        return said === "true usage\n";
      },
      "leaves nothing behind": () => {
        runNpm(node, "uninstall", "--global", "--prefix", prefix, "dexdata");
        return !existsSync(home) && !existsSync(command) && !existsSync(manual);
      },
    };
    for (const [what, holds] of Object.entries(checks)) {
      if (holds()) continue;
      failed += 1;
      console.log(`not as expected under ${node}: ${what}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(
  failed === 0 ? `installed, used and removed under ${nodes.length} Node` : `${failed} checks failed`,
);
process.exitCode = failed === 0 ? 0 : 1;
