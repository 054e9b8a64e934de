import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";
import { member } from "../../src/base/json/raw-json.ts";

/** Lists every bundled package. The build fails if a package has no license text. */
export const thirdPartyLicenses: Plugin = {
  name: "third-party-licenses",
  writeBundle: ({ dir = "dist" }, bundle) => {
    const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    const directories = new Set(modules.flatMap((id) => directoryOf(id) ?? []));
    const texts = [...directories].map(describe).toSorted((a, b) => (a < b ? -1 : 1));
    const file = path.join(dir, "..", "THIRD-PARTY-LICENSES");
    writeFileSync(file, `${preface}\n${texts.join("\n")}`);
  },
};

const preface = `The program in dist/ contains these packages.\n`;
const line = "-".repeat(80);

/** The package's directory in the innermost node_modules. */
function directoryOf(id: string): string | undefined {
  return /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/u.exec(id)?.[1];
}

function describe(directory: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));
  const [name, version, license] = ["name", "version", "license"].map((each) =>
    String(member(manifest, each)),
  );
  const file = readdirSync(directory).find((each) => /^licen[cs]e/iu.test(each));
  if (file === undefined) throw new Error(`${name} has no license text`);
  const text = readFileSync(path.join(directory, file), "utf8").replaceAll("\r\n", "\n").trim();
  return `${line}\n${name} ${version} (${license})\n${line}\n\n${text}\n`;
}
