import { setFlagsFromString } from "node:v8";

/** V8's settings for a program that is started often and runs long. Before anything else is loaded. */
export function tuneEngine(): void {
  keepHeapSmall();
  keepParserSimple();
}

/**
 * V8 lets its heap grow with what passes through it, however little of that stays: a pull of a million rows would take
 * 60 MB more than a short one. The young generation keeps its first size, and the old one is swept before it is a fifth
 * larger than what is alive in it.
 */
function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=20");
}

/**
 * undici parses HTTP in WebAssembly, which V8 before Node 24 optimises on a worker thread at the first answer, and the
 * process cannot end before that is done: 55 ms and 36 MB a command, for nothing that can be measured in long pulls.
 */
function keepParserSimple(): void {
  if (Number(process.versions.node.split(".")[0]) < 24)
    setFlagsFromString("--wasm-tiering-budget=2000000000");
}
