// Builds build/dexdata-<platform>-<arch>: Node itself with the program inside. `npm run build:binary` bundles it first.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";

const { platform, arch } = process;
const name = `dexdata-${platform === "win32" ? "windows" : platform}-${arch}`;
const output = path.resolve("build", platform === "win32" ? `${name}.exe` : name);
const folder = mkdtempSync(path.join(tmpdir(), "dexdata-binary-"));

const listed = (directory) => readdirSync(directory).map((each) => `${directory}/${each}`);
const bundled = ["build/dist/help", "completions"].flatMap(listed);

try {
  const node = findNode();
  const config = path.join(folder, "config.json");
  writeFileSync(
    config,
    JSON.stringify({
      main: "build/dist/dexdata.cjs",
      output,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      assets: Object.fromEntries(bundled.map((file) => [file.replace(/^build\//u, ""), file])),
    }),
  );
  execFileSync(node, ["--build-sea", config], { stdio: ["ignore", "ignore", "inherit"] });
  const packed = gzipSync(readFileSync(output));
  writeFileSync(`${output}.gz`, packed);
  const sum = createHash("sha256").update(packed).digest("hex");
  writeFileSync("build/SHA256SUMS", `${sum}  ${path.basename(output)}.gz\n`);
  const licenses = ["LICENSE", "build/THIRD-PARTY-LICENSES", path.join(path.dirname(node), "../LICENSE")];
  writeFileSync("build/LICENSES", licenses.map((file) => readFileSync(file, "utf8")).join("\n"));
  const mebibytes = (packed.length / 2 ** 20).toFixed(0);
  console.log(`${path.relative(".", output)}; as .gz, ${mebibytes} MiB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Node 25.5 or newer can build such a file. Otherwise, npm downloads Node 26, which the file then contains. */
function findNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 25 || (major === 25 && minor >= 5)) return process.execPath;
  const system = platform === "win32" ? "win" : platform;
  const words = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder];
  const npm = process.env["npm_execpath"] ?? "";
  execFileSync(process.execPath, [npm, ...words, `node-${system}-${arch}@26`], { stdio: "inherit" });
  const home = path.join(folder, "node_modules", `node-${system}-${arch}`, "bin");
  return path.join(home, platform === "win32" ? "node.exe" : "node");
}
