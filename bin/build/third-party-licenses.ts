import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";
import { groupBy } from "../../src/base/group-by.ts";
import { member } from "../../src/base/json/json-scan.ts";

/** Lists every bundled package. The build fails if a package has no license text. */
export const thirdPartyLicenses: Plugin = {
  name: "third-party-licenses",
  writeBundle: ({ dir = "dist" }, bundle) => {
    const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    const directories = new Set(modules.flatMap((id) => directoryOf(id) ?? []));
    const packages = [...directories].map(describe).toSorted((a, b) => (a.title < b.title ? -1 : 1));
    // Many packages of one author have the same text.
    const parts = [...groupBy(packages, ({ text }) => text)].map(
      ([text, same]) => `${line}\n${same.map(({ title }) => `${title}\n`).join("")}${line}\n\n${text}\n`,
    );
    const file = path.join(dir, "..", "THIRD-PARTY-LICENSES");
    writeFileSync(file, `${preface}\n${parts.join("\n")}`);
  },
};

const preface = `The program in dist/ contains these packages.\n`;
const line = "-".repeat(80);

/** The package's directory in the innermost node_modules. */
function directoryOf(id: string): string | undefined {
  return /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/u.exec(id)?.[1];
}

function describe(directory: string): { readonly title: string; readonly text: string } {
  const manifest: unknown = JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));
  const [name, version, license] = ["name", "version", "license"].map((each) =>
    String(member(manifest, each)),
  );
  const file = readdirSync(directory).find((each) => /^licen[cs]e/iu.test(each));
  if (file === undefined) throw new Error(`${name} has no license text`);
  const text = readFileSync(path.join(directory, file), "utf8").replaceAll("\r\n", "\n").trim();
  return { title: `${name} ${version} (${license})`, text };
}
