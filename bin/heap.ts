import { setFlagsFromString } from "node:v8";

/**
 * V8 lets its heap grow with what passes through it, however little of that stays: a pull of a million rows would take
 * 60 MB more than a short one. The young generation keeps its first size, and the old one is swept before it is a fifth
 * larger than what is alive in it.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=20");
}
