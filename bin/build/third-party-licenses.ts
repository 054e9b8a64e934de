import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";
import { member } from "../../src/json/own-member.ts";

/**
 * Writes THIRD-PARTY-LICENSES beside the folder of the build: name, version and licence text of every package that is
 * in it. A package without a licence text fails the build.
 */
export const thirdPartyLicenses: Plugin = {
  name: "third-party-licenses",
  writeBundle: ({ dir = "dist" }, bundle) => {
    const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    const folders = new Set(modules.flatMap((id) => folderOf(id) ?? []));
    const texts = [...folders].map(describe).toSorted((a, b) => (a < b ? -1 : 1));
    const file = path.join(dir, "..", "THIRD-PARTY-LICENSES");
    writeFileSync(file, `${preface}\n${texts.join("\n")}`);
  },
};

const preface = `The program in dist/ contains these packages.\n`;
const line = "-".repeat(80);

/** The package a module is from: its folder in the innermost node_modules. */
function folderOf(id: string): string | undefined {
  return /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/u.exec(id)?.[1];
}

function describe(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const [name, version, license] = ["name", "version", "license"].map((each) =>
    String(member(manifest, each)),
  );
  const file = readdirSync(folder).find((each) => /^licen[cs]e/iu.test(each));
  if (file === undefined) throw new Error(`${name} has no licence text`);
  const text = readFileSync(path.join(folder, file), "utf8").replaceAll("\r\n", "\n").trim();
  return `${line}\n${name} ${version} (${license})\n${line}\n\n${text}\n`;
}
