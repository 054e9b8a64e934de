// Usage: build.mjs [config]. The rolldown command would list the 155 files that it writes, at every log level.
import { build } from "rolldown";
import { loadConfig } from "rolldown/config";

await build(await loadConfig(process.argv[2] ?? "rolldown.config.ts"));
