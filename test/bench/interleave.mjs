// Runs complete processes interleaved: each round starts every command once, in a rotating order, so that a
// drift of the machine affects all equally. A ratio is the median of the rounds' ratios. Needs bash.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { environment, median, temporary } from "./processes.mjs";

const peakHook = fileURLToPath(new URL("../harness/peak-memory.cjs", import.meta.url));

/**
 * Runs each of `commands` (name → shell command) `rounds` times after a warm-up. Returns the input of
 * `compare()`, by name: wall and processor milliseconds of each round, and the peak memory (MB) of one of its
 * Node processes in a separate run.
 */
export function interleave(commands, { rounds, seconds = 120 }) {
  const names = Object.keys(commands);
  const env = environment();
  const measured = Object.fromEntries(names.map((name) => [name, { wall: [], cpu: [] }]));
  for (const name of names) measured[name].peak = peakOf(commands[name], env, seconds);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length];
      const { wall, cpu } = timeOf(commands[name], env, seconds);
      measured[name].wall.push(wall);
      measured[name].cpu.push(cpu);
    }
  }
  return measured;
}

/** The time of `one` divided by the time of `other`, on the clock and in processor time. */
export function compare(one, other) {
  const ratio = (kind) => median(one[kind].map((value, round) => value / other[kind][round]));
  return { wall: ratio("wall"), cpu: ratio("cpu") };
}

/** The wall clock around the command, and the processor time of it and of every process it waited for. */
function timeOf(command, env, seconds) {
  const script = `TIMEFORMAT='%3U %3S'; begun=$EPOCHREALTIME; time { ${command}
} >/dev/null 2>/dev/null; code=$?; echo "$begun $EPOCHREALTIME $code" >&2`;
  const { stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8", env, timeout: seconds * 1000 });
  const [times, clock] = stderr.trim().split("\n").slice(-2);
  const [user, system] = times.split(" ").map(Number);
  const [begun, ended, code] = clock.split(" ").map(Number);
  if (code !== 0) throw new Error(`exit ${code}: ${command}`);
  return { wall: (ended - begun) * 1000, cpu: (user + system) * 1000 };
}

function peakOf(command, env, seconds) {
  const file = path.join(temporary(), "peak");
  const options = `--require=${peakHook}`;
  const { status } = spawnSync("bash", ["-c", `{ ${command}\n} >/dev/null 2>/dev/null`], {
    env: { ...env, NODE_OPTIONS: options, DEXDATA_TEST_PEAK: file },
    timeout: seconds * 1000,
  });
  if (status !== 0) throw new Error(`exit ${status}: ${command}`);
  try {
    const peaks = readFileSync(file, "utf8").trim().split("\n").map(Number);
    return Math.max(...peaks) / 1024;
  } catch {
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
}
