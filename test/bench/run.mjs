// npm run bench [-- SUITE …] [--short] [--save]: the built program and its baselines; see suites.mjs and RESULTS.md.
// The full form shows which bars are met, and --save writes RESULTS.md. --short compares CPU time with the short table of
// RESULTS.md and exits with 1 if something takes 1.3 times as long in three attempts.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { suites } from "./suites.mjs";

const GROSS = 1.3;
const results = fileURLToPath(new URL("RESULTS.md", import.meta.url));
const words = process.argv.slice(2);
const isShort = words.includes("--short");
const wanted = words.filter((word) => !word.startsWith("--"));
for (const name of wanted)
  if (!(name in suites)) throw new Error(`"${name}" is none of ${Object.keys(suites).join(", ")}`);

const figures = [];
for (const [name, { measure, full, short }] of Object.entries(suites)) {
  if (wanted.length > 0 ? !wanted.includes(name) : isShort && short === undefined) continue;
  let found = await measure(isShort ? short : full);
  // Other work on the machine can look like a regression once.
  for (let again = 0; again < (isShort ? 2 : 0) && found.some(isLost); again++) {
    const other = await measure(short);
    found = found.map((figure, index) => (lossOf(other[index]) < lossOf(figure) ? other[index] : figure));
  }
  for (const figure of found) console.log(isShort ? shortLine(figure) : fullLine(figure).slice(2, -2));
  figures.push(...found);
}
if (words.includes("--save")) save(isShort ? "short" : "full");
else if (isShort && figures.some(isLost)) process.exitCode = 1;

function fullLine({ name, ratio, peak, sign, bar, isMet }) {
  const wall = ratio === undefined ? peak.toFixed(0) : digits(ratio.wall);
  const cpu = ratio?.cpu === undefined ? "" : digits(ratio.cpu);
  return `| ${[name, wall, cpu, `${sign} ${bar}`, isMet ? "yes" : "no"].join(" | ")} |`;
}

function shortLine(figure) {
  const before = recorded(figure.name);
  const told = before === undefined ? "" : `, recorded ${before}`;
  const loss = lossOf(figure);
  return `${figure.name}: ${digits(valueOf(figure))}${told}${isLost(figure) ? `: LOST, ${loss.toFixed(2)} times as long` : ""}`;
}

function isLost(figure) {
  return lossOf(figure) > GROSS;
}

/** The current cost divided by the recorded one; 1 if none was recorded. */
function lossOf(figure) {
  const before = recorded(figure.name) ?? valueOf(figure);
  return figure.sign === "≤" ? valueOf(figure) / before : before / valueOf(figure);
}

function valueOf({ ratio, peak }) {
  return ratio?.cpu ?? peak;
}

function digits(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

function recorded(name) {
  const line = section("short")
    .split("\n")
    .find((each) => each.startsWith(`| ${name} |`));
  return line === undefined ? undefined : Number(line.split("|")[2]);
}

/** The text between the markers of a form, which this script writes. */
function section(form) {
  const text = readFileSync(results, "utf8");
  return text.slice(text.indexOf(`<!-- ${form} -->`), text.indexOf(`<!-- /${form} -->`));
}

function save(form) {
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}, ${process.platform}, ${new Date().toISOString().slice(0, 10)}`;
  const table =
    form === "full"
      ? ["| measurement | wall | CPU | bar | met |", "|---|--:|--:|--:|---|", ...figures.map(fullLine)]
      : [
          "| measurement | CPU |",
          "|---|--:|",
          ...figures.map((figure) => `| ${figure.name} | ${digits(valueOf(figure))} |`),
        ];
  const text = readFileSync(results, "utf8");
  const written = `<!-- ${form} -->\n${machine}\n\n${table.join("\n")}\n`;
  writeFileSync(
    results,
    text.replace(section(form), () => written),
  );
}
