// Packs the program and installs it offline, for scripts that check the package from outside.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

export const isWindows = process.platform === "win32";

// npm is a Node program: started by its own path, it needs neither a shell nor a .cmd.
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

/**
 * Runs a Node program with its own home directory, without `NODE_OPTIONS` and the machine's settings. The
 * last variables are for Windows.
 */
export function run(node, words, home) {
  return execFileSync(node, words, {
    cwd: home,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      SystemRoot: process.env["SystemRoot"],
      USERPROFILE: home,
      APPDATA: home,
      LOCALAPPDATA: home,
      TEMP: home,
    },
  });
}

/** Packs the build into a tarball in a directory; npm builds first. */
export function pack(folder) {
  execFileSync(process.execPath, [npm, "pack", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const name = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  return path.join(folder, name);
}

/** Installs it in npm's usual global layout, without downloads. */
export function install(node, tarball, prefix) {
  runNpm(node, prefix, "install", tarball);
  const home = path.join(prefix, isWindows ? "" : "lib", "node_modules", "dexdata");
  return {
    home,
    program: path.join(home, "dist", "dexdata.cjs"),
    command: path.join(prefix, isWindows ? "dexdata.cmd" : path.join("bin", "dexdata")),
    manual: path.join(prefix, "share", "man", "man1", "dexdata.1.gz"),
  };
}

export function uninstall(node, prefix) {
  runNpm(node, prefix, "uninstall", "dexdata");
}

function runNpm(node, prefix, ...words) {
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"];
  run(node, [npm, ...flags, "--global", "--prefix", prefix, ...words], path.dirname(prefix));
}
