// installed.mjs [node…]: packs the program, installs it offline under each Node (default: the current one),
// runs the smoke commands and the library from the installation, and removes it again. It checks the program
// from outside.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { install, isWindows, pack, run, uninstall } from "./packed.mjs";

const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const folder = mkdtempSync(path.join(tmpdir(), "dexdata-installed-"));

let failed = 0;
try {
  const tarball = pack(folder);
  for (const node of nodes) {
    const prefix = path.join(folder, `prefix-${nodes.indexOf(node)}`);
    const { home, program, command, manual } = install(node, tarball, prefix);
    const smoke = spawnSync(process.execPath, ["test/end-to-end/smoke.mjs", node, program], {
      stdio: "inherit",
    });
    const checks = {
      "smoke commands": () => smoke.status === 0,
      "the command starts": () => startedByName(node, command).startsWith("dexdata "),
      // npm does not link man pages on Windows.
      "the manual is there": () => isWindows || existsSync(manual),
      completes: () => run(node, [program, "__complete", "bash", "pools", "se"], folder).includes("search"),
      "gives the library": () => {
        const importer = path.join(home, "..", "importer.mjs");
        writeFileSync(
          importer,
          'import { createClient, Failure } from "dexdata"; try { createClient({ rpm: 0 }); } catch (cause) { console.log(cause instanceof Failure, cause.code); }',
        );
        const said = run(node, [importer], folder);
        rmSync(importer);
        return said === "true usage\n";
      },
      "leaves nothing behind": () => {
        uninstall(node, prefix);
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

/** Starts the program as a shell does: by its first line, or by its .cmd. */
function startedByName(node, command) {
  const PATH = [path.dirname(node), process.env["PATH"]].join(path.delimiter);
  return execFileSync(isWindows ? `"${command}"` : command, ["--version"], {
    encoding: "utf8",
    env: { ...process.env, PATH },
    shell: isWindows,
  });
}
