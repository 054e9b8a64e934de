import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/cli/catalogue.ts";
import { completionScript, type Shell } from "../../src/cli/completion/completion-script.ts";

/** What the committed files are; `npm run generate` writes them anew. */
const files: Readonly<Record<Shell, string>> = {
  bash: "../../completions/dexdata.bash",
  zsh: "../../completions/_dexdata",
  fish: "../../completions/dexdata.fish",
};

describe("completions", () => {
  test.each(["bash", "zsh", "fish"] as const)(
    "the committed %s script is the one the commands give",
    async (shell) => {
      await expect(completionScript(shell, catalogue())).toMatchFileSnapshot(files[shell]);
    },
  );

  const completed = (line: string): readonly string[] => {
    const words = line.split(" ");
    const script = `source completions/dexdata.bash
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _dexdata; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(stderr).toBe("");
    return stdout.trim().split("\n");
  };

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["dexdata po", ["pool", "pools"]],
    ["dexdata pools ", ["search"]],
    ["dexdata auth lo", ["login", "logout"]],
    ["dexdata txns ethereum 0x1 --pag", ["--page-size", "--page"]],
    ["dexdata ohlcv ethereum 0x1 --interval 1", ["1m", "10m", "15m", "1h", "12h"]],
    ["dexdata pools search ethereum --order-by price_usd", ["price_usd"]],
    ["dexdata tokens search --sort ", ["asc", "desc"]],
    ["dexdata networks -o ", ["table", "ndjson", "json", "csv", "tsv"]],
    ["dexdata networks --limit ", [""]],
    ["dexdata sandbox --po", ["--port"]],
    ["dexdata pools search --key-file package.js", ["package.json"]],
  ];
  test.each(cases)("bash completes `%s`", (line, expected) => {
    expect(completed(line)).toEqual(expected);
  });
});
