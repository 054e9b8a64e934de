// Shared by the benchmarks: the servers, the compared commands, and their environment.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const asset = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/** Returns a number given by a flag, e.g. `--rounds 5`. */
export function option(name, standard) {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? standard : Number(process.argv[at + 1]);
}

/** None of the machine's settings, and no certificate file, which slows the start of Node 20. */
export function environment() {
  const folder = temporary();
  const { PATH } = process.env;
  return { PATH, HOME: folder, LANG: "C.UTF-8", DEXDATA_CONFIG_DIR: folder, DEXDATA_STATE_DIR: folder };
}

const folders = [];
export function temporary() {
  const folder = mkdtempSync(path.join(tmpdir(), "dexdata-bench-"));
  folders.push(folder);
  return folder;
}
process.on("exit", () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

export async function startServer(flags, file = "stream-server.mjs") {
  const child = spawn(process.execPath, [path.join(here, file), ...flags], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let printed = "";
  let seen = () => {};
  child.stdout.on("data", (chunk) => {
    printed += chunk;
    seen();
  });
  /** Returns the first match in its output and removes the output up to it. */
  const next = async (pattern) => {
    for (;;) {
      const found = pattern.exec(printed);
      if (found !== null) {
        printed = printed.slice(found.index + found[0].length);
        return found[1];
      }
      await new Promise((resolve) => (seen = resolve));
    }
  };
  const url = await next(/^(http:\S+)\n/);
  return {
    url,
    pid: child.pid,
    /** Seconds from the request to the end of the first ended stream that was not returned yet. */
    nextStream: async () => Number(await next(/stream (\S+) s\n/)),
    close: () => child.stdin.end(),
  };
}

/** The built program on one asset; run `npm run build` first. */
export function productOn(url, flags) {
  return [
    process.execPath,
    "dist/dexdata.cjs",
    "stream",
    asset,
    "-o",
    "ndjson",
    "--streaming-url",
    url,
    ...flags,
  ];
}

/**
 * The `eventsource` package in its own directory, or the reason why it is missing. The project does not
 * depend on it.
 */
export function installEventSource() {
  const folder = temporary();
  try {
    const flags = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    execFileSync("npm", ["install", "eventsource@4", ...flags], { stdio: "pipe", timeout: 60_000 });
    return { folder: path.join(folder, "node_modules", "eventsource") };
  } catch (cause) {
    return { problem: String(cause.stderr ?? cause).split("\n")[0] };
  }
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

export function quantile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
