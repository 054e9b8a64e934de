import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** Where the system looks for programs without PATH. */
const defaultFolders = "/usr/bin:/bin";

/** Whether the system can start this program. `folders` is the value of PATH. Not for Windows, which has other rules. */
export function findProgram(
  program: string,
  folders = defaultFolders,
): "found" | "not executable" | "not found" {
  const files = program.includes("/")
    ? [program]
    : folders.split(":").map((folder) => path.join(folder, program));
  if (files.some((file) => isAllowed(file, constants.X_OK))) return "found";
  return files.some((file) => isAllowed(file, constants.F_OK)) ? "not executable" : "not found";
}

function isAllowed(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    // For a directory, this permission means something else.
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
