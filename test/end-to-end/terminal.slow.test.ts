import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { program } from "../harness/binary.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { hasTmux, openTerminal, type Terminal } from "../harness/terminal.ts";

const isLeftOut = !hasTmux;
/** If a report omits these cases, it must contain this notice. */
const named = (name: string): string =>
  isLeftOut ? `LEFT OUT: ${name}: tmux is not installed (apt-get install tmux)` : name;

let terminal: Terminal | undefined;
afterEach(() => {
  terminal?.close();
  terminal = undefined;
});

/** The state after a clean exit: a new prompt, ready for input, on the screen used before the run. */
const clean = { isCursorVisible: true, column: 2, isAlternate: false };
const weth = "ethereum 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const pull = "dexdata pools search ethereum --limit 500 --page-size 50 --rpm 20 --sandbox";

describe.skipIf(isLeftOut)(named("Ctrl-C leaves a clean prompt, a visible cursor, no partial line"), () => {
  const cases: readonly (readonly [string, string, RegExp, RegExp])[] = [
    ["while the live line shows a countdown", `${pull} > /dev/null`, /waiting \d+s for/u, /waiting/u],
    ["between the rows of a table on the same terminal", pull, /waiting \d+s for/u, /waiting/u],
    ["during --watch", `dexdata prices ${weth} --watch 1h --sandbox`, /next in \S+s/u, /next in/u],
    ["on the board of stream", `dexdata stream ${weth} --sandbox`, /1 connection open/u, /connection open/u],
  ];
  test.each(cases)("%s", async (_, line, running, left) => {
    terminal = openTerminal();
    terminal.enter(line);
    await terminal.until(running);
    terminal.press("C-c");
    const lines = await terminal.until(/\n\$$/u);
    expect(terminal.state()).toEqual(clean);
    expect(lines.filter((each) => left.test(each))).toEqual([]);
    terminal.enter("echo exit $?");
    await terminal.until(/^exit 130$/mu);
  });
});

test.skipIf(isLeftOut)(named("Ctrl-Z leaves a clean shell line, and fg continues"), async () => {
  terminal = openTerminal();
  terminal.enter(`${pull} > /dev/null`);
  await terminal.until(/waiting \d+s for/u);
  terminal.press("C-z");
  const lines = await terminal.until(/Stopped[^\n]*\n\$$/u);
  expect(lines.filter((each) => each.includes("waiting"))).toEqual([]);
  expect(terminal.state()).toEqual(clean);
  terminal.enter("fg");
  await terminal.until(/waiting \d+s for/u);
  terminal.press("C-c");
  await terminal.until(/\n\$$/u);
  expect(terminal.state()).toEqual(clean);
});

test.skipIf(isLeftOut)(named("input typed during the run goes to the shell"), async () => {
  terminal = openTerminal();
  terminal.enter("dexdata networks --sandbox --faults slow-body=1500ms -o ndjson --limit 1");
  await terminal.until(/requesting/u);
  terminal.enter("echo typed meanwhile");
  await terminal.until(/^typed meanwhile$/mu);
});

describe.skipIf(isLeftOut)(named("keys on a live screen"), () => {
  const board = `echo "${weth.replace(" ", ":")} Ether" | dexdata stream - --sandbox`;

  test("q leaves the board with exit 0, although its list came through a pipe", async () => {
    terminal = openTerminal();
    terminal.enter(board);
    await terminal.until(/Ether[^\n]*\d[^]*1 connection open/u);
    terminal.press("?");
    await terminal.until(/q quit/u);
    terminal.press("q");
    await terminal.until(/\n\$$/u);
    expect(terminal.state()).toEqual(clean);
    terminal.enter("echo exit $?");
    await terminal.until(/^exit 0$/mu);
  });

  test("End and Home scroll in tmux, which sends codes of its own for them", async () => {
    terminal = openTerminal(100, 12);
    terminal.enter("dexdata networks --watch 1h --sandbox");
    await terminal.until(/more lines/u);
    terminal.press("End");
    await terminal.until(/lines \d+–(\d+) of \1$/mu);
    terminal.press("Home");
    await terminal.until(/… \d+ more lines/u);
    terminal.press("q");
    await terminal.until(/\n\$$/u);
  });

  test("q leaves --watch with exit 0", async () => {
    terminal = openTerminal();
    terminal.enter(`dexdata prices ${weth} --watch 1h --sandbox`);
    await terminal.until(/next in/u);
    terminal.press("q");
    await terminal.until(/\n\$$/u);
    terminal.enter("echo exit $?");
    await terminal.until(/^exit 0$/mu);
  });

  test("Ctrl-C still ends the entire pipeline with 130", async () => {
    terminal = openTerminal();
    terminal.enter(`(echo ethereum:${weth.split(" ")[1]}; sleep 0.1) | dexdata stream - --sandbox`);
    await terminal.until(/1 connection open/u);
    terminal.press("C-c");
    await terminal.until(/\n\$$/u);
    expect(terminal.state()).toEqual(clean);
    terminal.enter("echo exit $?");
    await terminal.until(/^exit 130$/mu);
  });

  test.each([
    ["", board.replace("dexdata", '"$NODE" "$PROGRAM"')],
    // A function in a pipeline runs in a shell of its own. It stops at once, as npx does.
    [", also within another process", board],
  ])("Ctrl-Z gives the keys to the shell, and fg gives them back%s", async (_, line) => {
    terminal = openTerminal();
    terminal.enter(line);
    await terminal.until(/1 connection open/u);
    // Repeated, because which process stops first differs.
    for (const round of [1, 2, 3, 4, 5, 6]) {
      terminal.press("C-z");
      await terminal.until(/Stopped[^]*\n\$$/u);
      terminal.enter(`clear; echo typed in the shell ${round}`);
      await terminal.until(new RegExp(`^typed in the shell ${round}$`, "mu"));
      terminal.enter("clear; fg");
      await terminal.until(/1 connection open/u);
    }
    terminal.press("q");
    await terminal.until(/\n\$$/u);
    expect(terminal.state()).toEqual(clean);
  });

  const stopped = /Stopped[^]*\n\$ ?$/u;

  test.each([
    ["the board", `dexdata stream ${weth} --sandbox`, /1 connection open/u],
    ["--watch", `dexdata prices ${weth} --watch 1h --sandbox`, /next in/u],
  ])("SIGSTOP cannot be caught, but after fg the keys of %s work", async (_, words, running) => {
    terminal = openTerminal();
    const pid = startWithPid(terminal, words);
    await terminal.until(running);
    process.kill(pid(), "SIGSTOP");
    await terminal.until(stopped);
    terminal.enter("clear; fg");
    await terminal.until(running);
    terminal.press("q");
    await terminal.until(/\n\$$/u);
    expect(terminal.state()).toEqual(clean);
  });

  test("a key typed after SIGSTOP and fg is not shown", async () => {
    terminal = openTerminal();
    const pid = startWithPid(terminal, "dexdata auth login");
    await terminal.until(/key/iu);
    process.kill(pid(), "SIGSTOP");
    await terminal.until(stopped);
    terminal.enter("fg");
    await terminal.until(/fg\n/u);
    await wait(500);
    terminal.enter("not-a-key");
    const lines = await terminal.until(/invalid key|does not start/u);
    expect(lines.join("\n")).not.toContain("not-a-key");
  });

  test("a stream in the background keeps running, and leaves the keys to the shell", async () => {
    terminal = openTerminal(100, 40);
    const file = path.join(temporaryFolder(), "ticks.ndjson");
    terminal.enter(`dexdata stream ${weth} --sandbox --out ${file} --for 6s > /dev/null 2>&1 &`);
    terminal.enter("wait %1; echo exit $?");
    await terminal.until(/^exit 0$/mu);
    expect(readFileSync(file, "utf8").split("\n").length).toBeGreaterThan(2);
  });
});

test.skipIf(isLeftOut)(named("a closed terminal ends a run with exit 129, without a core dump"), async () => {
  terminal = openTerminal();
  const report = path.join(temporaryFolder(), "report");
  terminal.enter(`(trap "" HUP; dexdata stream ${weth} --sandbox; echo $? > ${report})`);
  await terminal.until(/1 connection open/u);
  terminal.close();
  await expect
    .poll(() => existsSync(report) && readFileSync(report, "utf8"), { timeout: 5000 })
    .toBe("129\n");
});

/** Returns a function that reads the process's ID once it has started. */
function startWithPid(on: Terminal, words: string): () => number {
  const file = path.join(temporaryFolder(), "pid");
  on.enter(`sh -c 'echo $$ > ${file}; exec "$NODE" "$PROGRAM" ${words.replace("dexdata ", "")}'`);
  return () => Number(readFileSync(file, "utf8"));
}

/** The chunks that a run on a terminal has loaded at its end, by name. */
async function chunksOf(words: string): Promise<string> {
  const folder = temporaryFolder();
  const [script, report] = [path.join(folder, "run.cjs"), path.join(folder, "report")];
  writeFileSync(
    script,
    `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(report)}, Object.keys(require.cache).join(" ")));
    require(${JSON.stringify(program)});`,
  );
  const shell = openTerminal(200);
  try {
    shell.enter(`"$NODE" ${script} ${words}; echo ended`);
    await shell.until(/^ended$/mu);
    return readFileSync(report, "utf8");
  } finally {
    shell.close();
  }
}

test.skipIf(isLeftOut)(named("the spinner loads after half a second of work, and not before"), async () => {
  expect(await chunksOf("networks --sandbox --faults slow-body=1500ms")).toMatch(/\/ora-[^/ ]*\.cjs/u);
  // A busy machine may take half a second for anything.
  const brief: boolean[] = [];
  for (let turn = 0; turn < 3 && !brief.includes(false); turn += 1)
    brief.push((await chunksOf("networks --sandbox --limit 3")).includes("/ora-"));
  expect(brief).toContain(false);
});

describe.skipIf(isLeftOut)(named("a pager on a terminal"), () => {
  test("gets a table that is longer than the terminal; Ctrl-C is its own, and the summary comes after it", async () => {
    terminal = openTerminal();
    const pager = "trap : INT; head -n 2; while ! read -r line < /dev/tty; do :; done";
    terminal.enter(`export DEXDATA_PAGER='${pager}'; clear`);
    terminal.enter("dexdata networks --sandbox");
    await terminal.until(/^NETWORK[^]*\n[a-z]/mu);
    terminal.press("C-c");
    terminal.press("Enter");
    const lines = await terminal.until(/1 request[^]*\n\$$/u);
    expect(lines.filter((line) => /^[a-z_]+ {2,}[A-Z]/u.test(line))).toHaveLength(1);
    terminal.enter("echo exit $?");
    await terminal.until(/^exit 0$/mu);
    expect(terminal.state()).toEqual(clean);
  });
});
