import { type Plugin, rolldown } from "rolldown";

/** Bundles a module of the project and all its imports into one CommonJS file. */
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
