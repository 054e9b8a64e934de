// Usage: build.mjs [config]. Runs the same build as the rolldown command, but prints nothing on success. At every log
// level, that command lists each file it writes, which would put 155 lines before the output that a newcomer wants to
// see.
import { build } from "rolldown";
import { loadConfig } from "rolldown/config";

await build(await loadConfig(process.argv[2] ?? "rolldown.config.ts"));
