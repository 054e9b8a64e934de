import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBoard } from "../../src/cli/render/board/board.ts";
import { createPaint } from "../../src/cli/render/terminal.ts";
import { textWidth } from "../../src/cli/render/values/width.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { type Reply, type ScriptedServer, startScriptedServer } from "../harness/scripted-server.ts";
import { palettes, terminalPicture } from "../harness/terminal-picture.ts";
import { exhibits, firstScreens, pictures } from "./exhibits.ts";
import { readableColors, withoutColors } from "./readable-colors.ts";
import { inWindow, type View } from "./views.ts";

const sandbox = useSandbox();
const responses = new Map<string, Promise<Reply>>();
let server: ScriptedServer;

// A command is shown in many terminals, but the clock of the sandbox stands still, and the candles of a busy token cost
// it a second: each request is passed on to it once.
beforeAll(async () => {
  server = await startScriptedServer(async ({ url, headers: { authorization = "" } }) => {
    const response = responses.get(url) ?? passOn(url, authorization);
    responses.set(url, response);
    return await response;
  });
});
afterAll(async () => await server.close());

async function passOn(url: string, authorization: string): Promise<Reply> {
  const response = await fetch(sandbox.running().restPaid + url, { headers: { authorization } });
  const headers = Object.fromEntries(response.headers);
  return { mode: "answer", status: response.status, headers, body: await response.text() };
}

describe("screens and pictures", () => {
  it.each(exhibits)("$name matches the committed screen", async ({ name, commands, views, typed }) => {
    const screens: string[] = [];
    for (const command of commands) {
      screens.push(`$ dexdata ${command}\n`);
      for (const view of views) {
        const seen = await runView(command, view, typed);
        if (name.endsWith(".table")) expectInside(seen.stdout, view);
        const screen = screenOf(seen);
        screens.push(heading(view.title), withoutColors(screen));
        if (view.isColored) screens.push(heading(`${view.title}, colour`), readableColors(screen));
      }
    }
    await expect(screens.join("\n")).toMatchFileSnapshot(`screens/${name}.txt`);
  });

  it.each(pictures)(
    "$name matches the committed picture for the README",
    async ({ name, command, columns }) => {
      const { stdout } = await runView(command, inWindow(columns, { isColored: true }));
      const picture = terminalPicture({ command, text: stdout, columns });
      await expect(picture).toMatchFileSnapshot(`../../docs/pictures/${name}.svg`);
    },
  );
});

describe("the first screens of a new user", () => {
  const names = ["dark", "light"] as const;

  it.each(firstScreens)("$name matches the committed pictures", async ({ name, command }) => {
    const { stdout, stderr } = await runView(command, inWindow(80, { isColored: true }));
    const text = stdout + stderr.replaceAll(/\([\d,]+ left\)/gu, "(4,999,000 left)");
    for (const palette of names) {
      const picture = terminalPicture({ command, text, columns: 80, palette: palettes[palette] });
      await expect(picture).toMatchFileSnapshot(`pictures/${name}.${palette}.svg`);
    }
  });

  it("the board of a stream matches the committed pictures", async () => {
    const text = await boardPicture();
    const alerts = await boardPicture((asset) => asset.includes("0x2260"));
    for (const palette of names) {
      const command = "stream @tokens.ndjson";
      const watching = `${command} --when 'price > 95800' -- true`;
      const marked = terminalPicture({
        command: watching,
        text: alerts,
        columns: 80,
        palette: palettes[palette],
      });
      await expect(marked).toMatchFileSnapshot(`pictures/80-stream-alerts.${palette}.svg`);
      const picture = terminalPicture({ command, text, columns: 80, palette: palettes[palette] });
      await expect(picture).toMatchFileSnapshot(`pictures/80-stream.${palette}.svg`);
      if (palette === "dark") await expect(picture).toMatchFileSnapshot("../../docs/pictures/board.svg");
    }
  });
});

/** The board after a minute of prices. A running stream would show other prices each time. */
async function boardPicture(isOn?: (asset: string) => boolean): Promise<string> {
  const labels = new Map([
    ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", "WETH"],
    ["0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", "WBTC"],
    ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984", "UNI"],
  ]);
  const board = createBoard({
    feed: "prices",
    by: "token",
    assets: [...labels.keys()].map((address) => ({ network: "ethereum", address })),
    isSimulated: true,
    isUnicode: true,
    paint: await createPaint(true),
    start: 0,
    isOn,
    findAsset: (address) => ({ name: undefined, label: labels.get(address), decimals: undefined }),
  });
  for (let second = 0; second < 60; second += 2)
    for (const [index, address] of [...labels.keys()].entries()) {
      const value = [3393, 95_968, 9.43][index] ?? 0;
      const price = (value * (1 + Math.sin(second / (7 + index * 5) + index) / 400)).toFixed(6);
      const data = Buffer.from(JSON.stringify({ chain: "ethereum", address, price }));
      board.events([{ data, asset: { network: "ethereum", address } }], second * 1000);
    }
  const state = { wanted: 1, open: 1, retrying: 0, events: 90, credits: 90, gaps: 0 };
  return board.frame({ columns: 80, rows: 12, hasKeys: true }, state, 60_000).join("\n");
}

async function runView(
  command: string,
  { columns, isColored, flags, env }: View,
  typed: readonly string[] = [],
): Promise<Outcome> {
  return await dexdata([...command.split(" "), ...flags], {
    typed,
    isTerminal: columns !== undefined,
    ...(columns !== undefined && { columns }),
    env: {
      ...sandbox.env(),
      DEXDATA_PRO_BASE_URL: server.url,
      [isColored ? "FORCE_COLOR" : "NO_COLOR"]: "1",
      ...env,
    },
  });
}

function heading(title: string): string {
  return `──── ${title} ${"─".repeat(Math.max(0, 70 - title.length))}`;
}

/**
 * Both streams, as on a terminal. The number of credits left depends on earlier commands, so it is replaced.
 */
function screenOf({ stdout, stderr, exit }: Outcome): string {
  const remarks = stderr.replaceAll(/\([\d,]+ left\)/gu, "(4,999,000 left)");
  const rows = stdout.replaceAll(/^(credits_left +)[\d,]+$/gmu, "$14,999,000");
  return rows + remarks + (exit === 0 ? "" : `[exit ${exit}]\n`);
}

function expectInside(stdout: string, { columns = Infinity, flags }: View): void {
  if (flags.includes("wide")) return;
  for (const line of withoutColors(stdout).split("\n"))
    expect(textWidth(line), line).toBeLessThanOrEqual(columns);
}
