import { expect, test } from "vitest";
import { readsUnicode } from "../../src/cli/render/terminal.ts";

test.each([
  [{ LANG: "C.UTF-8" }, true],
  [{ LC_ALL: "C", LANG: "C.UTF-8" }, false],
  [{ LC_ALL: "", LC_CTYPE: "de_DE.utf8" }, true],
  [{}, false],
  [{ WT_SESSION: "5f6a" }, true],
  [{ WT_SESSION: "5f6a", LANG: "C" }, false],
])("%j allows characters beyond ASCII: %s", (env, isUnicode) => {
  expect(readsUnicode(env)).toBe(isUnicode);
});
