import * as fc from "fast-check";
import { isLong } from "./long.ts";

// Uses the same cases in each run, so that a run fails because of a change and not by chance. The long form uses random
// ones.
if (!isLong) fc.configureGlobal({ seed: 20_261_121, ...fc.readConfigureGlobal() });

/**
 * Any character, for `fc.string`. Its own unit for that, "binary", builds a table of all 1.1 million characters in each
 * process, which takes 1.5 seconds.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10f7ff }).map(
  (place) => String.fromCodePoint(place < 0xd800 ? place : place + 0x800),
  (character) => {
    const point = typeof character === "string" ? character.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== character) throw new TypeError("no character");
    return point < 0xd800 ? point : point - 0x800;
  },
);

export { fc };
