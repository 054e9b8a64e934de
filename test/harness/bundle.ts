import { rolldown } from "rolldown";

/** One CommonJS file of a module of ours and all it imports. */
export async function bundle(source: string, file: string): Promise<void> {
  const build = await rolldown({ input: source, platform: "node", logLevel: "silent" });
  await build.write({ file, format: "cjs", codeSplitting: false });
  await build.close();
}
