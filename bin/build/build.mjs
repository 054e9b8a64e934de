// build.mjs [config]: builds as rolldown's own command does, but prints nothing on success. That one lists every
// file it wrote, whatever its log level: 155 lines before what a newcomer wants to see.
import { build } from "rolldown";
import { loadConfig } from "rolldown/config";

await build(await loadConfig(process.argv[2] ?? "rolldown.config.ts"));
