import { describe, expect, test } from "vitest";
import { completionScripts } from "../../src/cli/completion/completion-script.ts";
import type { Shell } from "../../src/cli/completion/shells.ts";

/** What the committed files are; `npm run generate` writes them anew. */
const files: Readonly<Record<Shell, string>> = {
  bash: "../../completions/dexdata.bash",
  zsh: "../../completions/_dexdata",
  fish: "../../completions/dexdata.fish",
};

describe("completions", () => {
  test.each(["bash", "zsh", "fish"] as const)(
    "the committed %s script is the one the program prints",
    async (shell) => {
      await expect(completionScripts[shell]).toMatchFileSnapshot(files[shell]);
    },
  );
});
