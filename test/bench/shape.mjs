// node test/bench/shape.mjs [directory]: counts that show the shape of the source, as a Markdown table. The directory is a
// checkout, by default this one. If it has node_modules, the script also builds it, for the last two lines of the table.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { environment, temporary } from "./processes.mjs";

process.chdir(process.argv[2] ?? fileURLToPath(new URL("../..", import.meta.url)));

const sources = ["bin", "src"].flatMap((folder) => readAll(folder, /\.ts$/));
const folders = new Set(
  sources.flatMap(({ file }) => [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index))),
);
/** Static, type-only and dynamic imports of our files, `export … from`, and `import("…")` as a type. */
const imports = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g)]
    .map(([, specifier]) => ({ from: file, to: path.join(path.dirname(file), specifier) }))
    .filter(({ to }) => sources.some(({ file: each }) => each === to)),
);

function readAll(folder, names) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => names.test(file))
    .map((file) => ({ file, text: readFileSync(file, "utf8") }));
}

function isIn(file, ...places) {
  return places.some((place) => file.startsWith(`${place}/`));
}

/** How many lines match in each file that has such lines. */
function matching(files, line) {
  const count = (text) => text.match(new RegExp(line, "gm"))?.length ?? 0;
  return files.map(({ file, text }) => ({ file, count: count(text) })).filter((each) => each.count > 0);
}

function total(counts) {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

function inFiles(counts) {
  return `${total(counts)} in ${counts.length} files`;
}

function sourceLines() {
  const all = total(matching(sources, /\n/));
  const comments = total(matching(sources, /^[ \t]*(?:\/\/|\/?\*)/));
  return `${all}, ${((100 * comments) / all).toFixed(1)} % comments`;
}

/** Groups of files and folders in a folder that import each other. A folder stands for everything in it. */
function circlesIn(folder) {
  const targets = new Map();
  for (const { from, to } of imports.filter((each) => isIn(each.from, folder) && isIn(each.to, folder))) {
    const [one, other] = [from, to].map((file) => file.slice(folder.length + 1).split("/")[0]);
    if (one !== other) targets.set(one, (targets.get(one) ?? new Set()).add(other));
  }
  const reach = (node, reached = new Set()) => {
    for (const next of targets.get(node) ?? []) if (!reached.has(next)) reach(next, reached.add(next));
    return reached;
  };
  const nodes = [...targets.keys()];
  const groups = nodes.map((node) =>
    nodes.filter((other) => reach(node).has(other) && reach(other).has(node)),
  );
  return [...new Set(groups.map((group) => group.join(", ")))].filter((group) => group !== "");
}

/** Imports of what does not lie directly in another room, except for the vocabulary in `api` and `base`. */
function importsIntoRooms() {
  const into = imports.filter(({ from, to }) => {
    const [top, room, ...rest] = to.split("/");
    return top === "src" && rest.length > 1 && !["api", "base"].includes(room) && !isIn(from, `src/${room}`);
  });
  return `${into.length} in ${new Set(into.map(({ from }) => from)).size} files`;
}

/** The registry has an entry for each kind of reply, so that other files need not tell them apart. */
function replyKinds() {
  const isRegistry = (text) => /Record<\s*Reply\["kind"\]/.test(text);
  const others = sources.filter(({ file, text }) => !isIn(file, "src/sandbox") && !isRegistry(text));
  return inFiles(matching(others, /^.*\breply\.kind\b.*$/));
}

/** The names, too, because the imports do not show whether a file writes rows. */
function writers() {
  const writes =
    /import [^;]*\b(?:rename|append|write|createWrite|copyFile|truncate|ftruncate|link)[^;]* from "node:fs/;
  const others = sources.filter(({ file }) => isIn(file, "src") && !isIn(file, "src/rows", "src/base/files"));
  const names = others.filter(({ text }) => writes.test(text)).map(({ file }) => path.basename(file, ".ts"));
  return [names.length, ...names].join(" ");
}

/** Builds one file per module, and counts those of which a function runs while a list of several pages is written. */
async function executedFiles() {
  const folder = temporary();
  const { build } = await import(pathToFileURL(createRequire(path.resolve("_")).resolve("rolldown")));
  const { output } = await build({
    input: "bin/dexdata.ts",
    platform: "node",
    logLevel: "silent",
    resolve: { symlinks: false },
    transform: { define: { DEXDATA_VERSION: '"0.0.0"' } },
    output: { dir: folder, preserveModules: true, entryFileNames: "[name].mjs" },
  });
  const program = path.join(folder, output.find(({ isEntry }) => isEntry).fileName);
  const pool = "ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
  const list = `txns ${pool} --from 2026-06-01T06:00:00Z --to 2026-06-01T12:00:00Z --all --out`.split(" ");
  const run = [process.execPath, program, ...list, path.join(folder, "x.ndjson")];
  const measured = ["env", `NODE_V8_COVERAGE=${path.join(folder, "coverage")}`, ...run];
  const sandbox = ["sandbox", "--port", "0", "--clock", "2026-06-01T12:00:00Z", "--", ...measured];
  execFileSync(process.execPath, [program, ...sandbox], { env: environment(), stdio: "pipe" });
  const [{ text }] = readAll(path.join(folder, "coverage"), /\.json$/);
  // The first function is the module itself.
  const isExecuted = ({ functions }) => functions.slice(1).some(({ ranges }) => ranges[0].count > 0);
  const { result } = JSON.parse(text);
  const executed = new Set(result.filter(isExecuted).map(({ url }) => url));
  const isOurs = ({ facadeModuleId: id }) => sources.some(({ file }) => id === path.resolve(file));
  const urls = output.filter(isOurs).map(({ fileName }) => pathToFileURL(path.join(folder, fileName)).href);
  return `${urls.filter((url) => executed.has(url)).length} of ${urls.length}`;
}

function packageSize() {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json"], { stdio: "pipe" });
  return `${(JSON.parse(packed)[0].unpackedSize / 1e6).toFixed(2)} MB`;
}

const isInstalled = existsSync("node_modules");
const circles = [...folders].flatMap((folder) => circlesIn(folder).map((names) => `${folder}: ${names}`));
const most = matching(sources, /^import\b/).reduce((one, other) => (other.count > one.count ? other : one));
const products = sources.filter(({ file }) => isIn(file, "src") && !isIn(file, "src/library"));
const rows = {
  "lines of `src` and `bin`": sourceLines(),
  rooms: [...folders].filter((folder) => path.dirname(folder) === "src").length,
  circles: circles.length,
  "imports into another room's folders": importsIntoRooms(),
  "lines that test `reply.kind`": replyKinds(),
  "optional members": total(matching(products, /^[ \t]*(?:readonly )?\w+\?:/)),
  "most imports in a file": `${most.count} (${most.file})`,
  "files outside `rows` and `base/files` that write files": writers(),
  "lines of test code": total(matching(readAll("test", /\.(?:ts|mjs|cjs)$/), /\n/)),
  "files with a function that runs in `txns … --all --out`": isInstalled ? await executedFiles() : "",
  "unpacked package": isInstalled ? packageSize() : "",
};
console.log("| what | count |\n|---|--:|");
for (const [what, count] of Object.entries(rows)) console.log(`| ${what} | ${count} |`);
for (const circle of circles) console.log(`\nCircle in ${circle}`);
