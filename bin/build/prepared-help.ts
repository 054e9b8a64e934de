import type { Plugin } from "rolldown";
import { preparedFile } from "../../src/cli/help/prepared-file.ts";
import { preparedPage, preparedWords } from "../../src/cli/help/prepared-pages.ts";

/** Writes the pages of help beside the chunks, from the same tables that the program reads. */
export const preparedHelp: Plugin = {
  name: "prepared-help",
  generateBundle() {
    for (const words of preparedWords()) {
      const fileName = preparedFile(words === "" ? [] : words.split(" "));
      this.emitFile({ type: "asset", fileName, source: JSON.stringify(preparedPage(words)) });
    }
  },
};
