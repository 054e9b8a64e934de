import { bodyModes, encodingModes } from "./body-modes.ts";
import { connectionModes } from "./connection-modes.ts";
import type { Mode } from "./mode.ts";
import { pagingModes } from "./paging-modes.ts";
import { refusalModes } from "./refusal-modes.ts";
import { shapeModes } from "./shape-modes.ts";

/** Every mode, by the part of a request or response that it affects. */
export const kinds: readonly (readonly [kind: string, modes: readonly Mode[]])[] = [
  ["connection", connectionModes],
  ["encoding", encodingModes],
  ["body", bodyModes],
  ["shape", shapeModes],
  ["list", pagingModes],
  ["refusal", refusalModes],
];
