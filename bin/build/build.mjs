// Usage: build.mjs [config]. At every log level, the rolldown command would list the 155 files that it writes.
import { build } from "rolldown";
import { loadConfig } from "rolldown/config";

await build(await loadConfig(process.argv[2] ?? "rolldown.config.ts"));
