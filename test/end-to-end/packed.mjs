// Packs the program and installs it without a network, for those who judge the package from outside.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";

export const isWindows = process.platform === "win32";

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

/** A program of Node in a home of its own: `NODE_OPTIONS` and settings of the machine stay out. The last are Windows'. */
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

/** The tarball in a folder, of what is built; npm builds it first. */
export function pack(folder) {
  execFileSync(process.execPath, [npm, "pack", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const name = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  return path.join(folder, name);
}

/** Where npm puts it, as for everybody on the machine; nothing is fetched. */
export function install(node, tarball, prefix) {
  runNpm(node, prefix, "install", tarball);
  const home = path.join(prefix, isWindows ? "" : "lib", "node_modules", "dexdata");
  return {
    home,
    program: path.join(home, "dist", "dexdata.cjs"),
    command: path.join(prefix, isWindows ? "dexdata.cmd" : path.join("bin", "dexdata")),
    manual: path.join(prefix, "share", "man", "man1", "dexdata.1"),
  };
}

export function uninstall(node, prefix) {
  runNpm(node, prefix, "uninstall", "dexdata");
}

function runNpm(node, prefix, ...words) {
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"];
  run(node, [npm, ...flags, "--global", "--prefix", prefix, ...words], path.dirname(prefix));
}
