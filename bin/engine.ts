import { setFlagsFromString } from "node:v8";

/** V8's settings for a program that is started often and runs long. Before anything else is loaded. */
export function tuneEngine(): void {
  keepHeapSmall();
  if (isBefore(24)) keepParserSimple();
  if (isBefore(22)) optimiseLongFunctions();
}

const isBefore = (major: number): boolean => Number(process.versions.node.split(".")[0]) < major;

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
  setFlagsFromString("--liftoff-only");
}

/**
 * V8 leaves a function as it is the longer the longer that is, before it optimises it: what reads and writes a page is
 * long and runs once a page, so that a pull of a thousand pages was mostly over before. Since Node 22 V8 goes by calls
 * alone.
 */
function optimiseLongFunctions(): void {
  setFlagsFromString("--bytecode-size-allowance-per-tick=10000");
  setFlagsFromString("--ticks-before-optimization=2");
}
