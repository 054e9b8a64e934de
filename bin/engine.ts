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
 * undici parses HTTP in WebAssembly, which V8 optimises on a worker thread once it has parsed enough. That takes 36 MB
 * for a moment, and before Node 24 the process cannot end before it is done: 55 ms a command. Unoptimised, a pull of a
 * hundred thousand rows takes no longer.
 */
function keepParserSimple(): void {
  if (Number(process.versions.node.split(".")[0]) < 24) setFlagsFromString("--liftoff-only");
}
