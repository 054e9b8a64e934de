import { setFlagsFromString } from "node:v8";

/**
 * A row group has more values than V8's initial young generation can hold, so they would be copied again and again. Sets
 * the default, which `bin/run-command.ts` lowers for all other commands. Memory grows by up to 30 MB.
 */
export function makeRoomForYoungObjects(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
