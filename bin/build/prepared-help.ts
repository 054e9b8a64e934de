import type { Plugin } from "rolldown";
import { preparedFile } from "../../src/program/help/prepared-file.ts";
import { allCommands } from "../../src/program/all-commands.ts";
import { preparedPage, preparedWords } from "../../src/program/help/print-help.ts";

export const preparedHelp: Plugin = {
  name: "prepared-help",
  generateBundle() {
    for (const words of preparedWords(allCommands)) {
      const fileName = preparedFile(words === "" ? [] : words.split(" "));
      this.emitFile({ type: "asset", fileName, source: JSON.stringify(preparedPage(allCommands, words)) });
    }
  },
};
