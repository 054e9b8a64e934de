import { expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { dexdata } from "../harness/dexdata.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const time = "2026-11-21T08:54:00Z";
const bounded = { DEXDATA_STREAMING_URL: "https://service.invalid", DEXDATA_RETRIES: "0" };
const elsewhere = { ...bounded, DEXDATA_BASE_URL: "https://service.invalid" };
const warning = (source: string): string =>
  `warning: ${source} is set, so this run uses ${time} as the current time\n`;

/** Commands that resolve times and contact the service. */
const commands = allCommands.filter(
  ({ words, shared, flags, credits }) =>
    credits !== undefined && words !== "doctor" && ("now" in shared || "now" in flags),
);

test.each(commands.map((command) => [command.words, command] as const))(
  "%s warns if the clock is replaced and the service is not on this machine",
  async (_, { words, positionals }) => {
    const values = positionals.map(({ name, suggests }) =>
      suggests === "networks"
        ? "ethereum"
        : name === "path"
          ? "/stats"
          : "ethereum:0x0000000000000000000000000000000000000001",
    );
    const line =
      words === "sync"
        ? ["sync", temporaryFolder(), "ethereum:0x0000000000000000000000000000000000000001"]
        : [...words.split(" "), ...values];
    if (words === "stream") line.push("--max-reconnects", "1");
    const inVariable = await dexdata(line, { env: { ...elsewhere, DEXDATA_NOW: time } });
    expect(inVariable.stderr).toContain(warning("DEXDATA_NOW"));
    const asFlag = await dexdata([...line, "--now", time, "-q"], { env: elsewhere });
    expect(asFlag.stderr).toContain(warning("--now"));
    for (const env of [elsewhere, { ...elsewhere, DEXDATA_NOW: "" }])
      expect((await dexdata(line, { env })).stderr).not.toContain("current time");
    const local = { ...bounded, DEXDATA_BASE_URL: "http://127.0.0.1:1", DEXDATA_NOW: time };
    expect((await dexdata(line, { env: local })).stderr).not.toContain("current time");
  },
);

test("no warning with the sandbox, whose clock the variable sets", async () => {
  const { exit, stderr } = await dexdata(
    "pool ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --sandbox",
    {
      env: { DEXDATA_NOW: time },
    },
  );
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
});
