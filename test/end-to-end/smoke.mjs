// smoke.mjs <node> <dexdata.cjs>, or smoke.mjs <executable>: runs the built program on its own sandbox and checks it
// from outside.
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

const [node, ...program] = process.argv.slice(2);
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

/** The command, the exit code, and the expected text in stdout and stderr. */
const cases = [
  ["--version", 0, /^dexdata \d/, /^$/],
  ["--help", 0, /pools/, /^$/],
  ["networks --sandbox -o ndjson", 0, /"id":"ethereum"/, /^$/],
  [
    "pools search ethereum --sandbox --limit 250 -o ndjson --fields id",
    0,
    /^(\{"id":"0x[\da-f]+"\}\n){250}$/,
    /^$/,
  ],
  [`pool ethereum ${pool} --sandbox -o json`, 0, new RegExp(`^\\{.*"id":"${pool}".*\\}\\n$`, "s"), /^$/],
  [`txns ethereum ${pool} --sandbox --limit 3 -o table`, 0, /TIME|Time|time/, /^$/],
  [`txns ethereum ${pool} --sandbox --tier free`, 4, /^$/, /plan_required/],
  [`pool eth ${pool} --sandbox`, 3, /^$/, /ethereum/],
  ["pools search --limit abc", 2, /^$/, /whole number/],
];

const env = { ...process.env, DEXDATA_CONFIG_DIR: tmpdir(), DEXDATA_API_KEY: "", DEXDATA_TIER: "" };
delete env.NODE_EXTRA_CA_CERTS;
let failed = 0;
for (const [command, exit, stdout, stderr] of cases) {
  const ran = spawnSync(node, [...program, ...command.split(" ")], {
    encoding: "utf8",
    env,
    timeout: 60_000,
    input: "",
  });
  const isRight =
    ran.error === undefined && ran.status === exit && stdout.test(ran.stdout) && stderr.test(ran.stderr);
  if (isRight) continue;
  failed += 1;
  console.log(
    `not as expected: dexdata ${command}\n  exit ${ran.status}\n  ${ran.error ?? ran.stdout.slice(0, 300)}\n  ${ran.stderr?.slice(0, 500)}`,
  );
}
console.log(
  `${cases.length - failed} of ${cases.length} commands as expected on ${spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim()}`,
);
process.exitCode = failed === 0 ? 0 : 1;
