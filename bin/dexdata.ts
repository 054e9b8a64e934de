#!/usr/bin/env node
import { awaitEarlyReload } from "./early-reload.ts";
import { keepCompiledCode, saveCompiledCode } from "./code-cache.ts";
import { tuneEngine } from "./engine.ts";
import { versionLine } from "../src/model/version.ts";

// Answered before anything else is loaded: scripts ask for it often, and it should cost what Node itself costs.
const [first, ...rest] = process.argv.slice(2);
if (rest.length === 0 && (first === "--version" || first === "-V")) {
  process.stdout.once("error", (cause) => {
    const code = "code" in cause ? String(cause.code) : cause.message;
    if (code === "EPIPE") return;
    process.stderr.write(`dexdata: the output cannot be written (${code})\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${versionLine}\n`);
} else if (first === "__complete") {
  void import("./complete-words.ts").then(({ completeWords }) => completeWords(rest));
} else {
  void run();
}

async function run(): Promise<void> {
  const early = awaitEarlyReload(process.argv.slice(2));
  tuneEngine();
  const code = keepCompiledCode(import.meta.filename);
  const [{ createProcessContext }, { main }] = await Promise.all([
    import("./process-context.ts"),
    import("../src/cli/main.ts"),
  ]);
  const context = createProcessContext(early);
  // exitCode rather than exit(): what was written to a pipe must still arrive.
  process.exitCode = await main(process.argv.slice(2), context);
  context.release();
  if (!context.signal.aborted) await saveCompiledCode(code);
  // What a reader does not take would keep a run that is over: it gets half a second for the last lines, or a little
  // more where nobody waits for the end.
  if (context.isReaderLeft()) setTimeout(() => process.exit(), context.signal.aborted ? 500 : 1000).unref();
}
