import { setFlagsFromString } from "node:v8";

/** Sets V8's flags for a program that is started often and may run long. Call it before anything else is loaded. */
export function tuneEngine(argv: readonly string[]): void {
  const flags = [
    ...keepHeapSmall,
    ...(isBefore(24) ? keepParserSimple : []),
    ...(isBefore(22) ? optimiseLongFunctions : []),
    ...(isBefore(22) && argv.includes("stream") ? optimiseAtOnce : []),
  ];
  for (const flag of flags) setFlagsFromString(flag);
}

const isBefore = (major: number): boolean => Number(process.versions.node.split(".")[0]) < major;

/**
 * V8 lets its heap grow with what passes through it, however little of that stays: a pull of a million rows would take
 * 60 MB more than a short one. The young generation keeps its first size, and the old one is swept before it is a fifth
 * larger than what is alive in it.
 */
const keepHeapSmall = ["--semi-space-growth-factor=1", "--heap-growing-percent=20"];

/**
 * undici parses HTTP in WebAssembly, which V8 optimises on a worker thread once it has parsed enough. That takes 36 MB
 * for a moment, and before Node 24 the process cannot end before it is done: 55 ms a command. Unoptimised, a pull of a
 * hundred thousand rows takes no longer.
 */
const keepParserSimple = ["--liftoff-only"];

/**
 * V8 runs a function unoptimised the longer the longer it is: what reads and writes a page is long and runs once a page,
 * so that a pull of a thousand pages was mostly over before. Since Node 22 V8 goes by calls alone.
 */
const optimiseLongFunctions = ["--bytecode-size-allowance-per-tick=10000", "--ticks-before-optimization=2"];

/**
 * While V8 optimises what events come through, it takes the processor from some of them for 2 ms, and the others take a
 * tenth of a millisecond longer. Where a hundred come a second, that goes on for ten seconds and more; with this, for two.
 */
const optimiseAtOnce = ["--interrupt-budget=10000"];
