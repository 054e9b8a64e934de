import { type Plugin, rolldown } from "rolldown";

/** One CommonJS file of a module of ours and all it imports. */
export async function bundle(source: string, file: string, plugins: readonly Plugin[] = []): Promise<void> {
  const build = await rolldown({
    input: source,
    platform: "node",
    logLevel: "silent",
    plugins: [...plugins],
  });
  await build.write({ file, format: "cjs", codeSplitting: false });
  await build.close();
}
