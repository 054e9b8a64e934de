import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./harness/temporary-folder.ts";

// GitHub runs these files and this machine cannot, so the tests read them, and run the shell scripts in them.

interface Job {
  readonly name: string;
  readonly text: string;
}

interface Workflow {
  readonly name: string;
  /** Everything before its jobs. */
  readonly head: string;
  readonly jobs: readonly Job[];
}

const directory = ".github/workflows";

const workflows = readdirSync(directory).map((name) =>
  readWorkflow(name, readFileSync(path.join(directory, name), "utf8")),
);

function readWorkflow(name: string, text: string): Workflow {
  const [head = "", rest = ""] = text.split(/^jobs:\n/mu);
  const jobs = rest.split(/^ {2}(?=[\w-]+:\n)/mu).slice(1);
  return { name, head, jobs: jobs.map((job) => ({ name: job.slice(0, job.indexOf(":")), text: job })) };
}

const release = workflows.find(({ name }) => name === "release.yml");
const jobOf = (name: string): string => release?.jobs.find((job) => job.name === name)?.text ?? "";

/** Commands that run code of the repository or its dependencies. */
const runsCode = /npm (?:ci|i|install|test|run|rebuild)\b|npx\b|\.ci\/run|actions\/checkout@/u;

/** Every way in which a workflow would let others publish in this project's name. */
function faultsOf({ head, jobs }: Workflow): readonly string[] {
  const all = [head, ...jobs.map(({ text }) => text)].join("");
  const uses = [...all.matchAll(/^ *-? *uses: *(.*)$/gmu)].map(([, action = ""]) => action);
  return [
    ...uses
      .filter((action) => !/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u.test(action))
      .map((action) => `${action} is not pinned to a commit`),
    ...(/^permissions:(?: \{\}\n|\n {2}contents: read\n)(?! )/mu.test(head)
      ? []
      : ["the workflow has more rights than reading"]),
    ...jobs.flatMap(({ name, text }) => [
      ...[...text.matchAll(/^[ -]*([\w-]+): *write\b/gmu)]
        .filter(([, right]) => right !== "id-token")
        .map(([, right]) => `${name} may write ${right}`),
      ...(/write-all/u.test(text) ? [`${name} may write everything`] : []),
      ...(isTrusted(text) && runsCode.test(text) ? [`${name} has id-token and runs code`] : []),
      ...(isTrusted(text) && /\bcache:/u.test(text) ? [`${name} has id-token and reads a cache`] : []),
      ...(/npm publish/u.test(text) && !isTrusted(text) ? [`${name} publishes without id-token`] : []),
      ...(/checkout@/u.test(text) && !/persist-credentials: false/u.test(text)
        ? [`${name} leaves credentials in its checkout`]
        : []),
    ]),
  ];
}

const isTrusted = (job: string): boolean => /id-token: *write/u.test(job);

describe.each(workflows)("$name", (workflow) => {
  test("pins each action to a commit and gives no job more permissions than it needs", () => {
    expect(workflow.jobs.length).toBeGreaterThan(0);
    expect(faultsOf(workflow)).toEqual([]);
  });
});

test("an action has the same commit in all workflows", () => {
  const text = readdirSync(directory).map((name) => readFileSync(path.join(directory, name), "utf8"));
  const pins = [...text.join("").matchAll(/uses: *([\w/-]+)@(\S+)/gu)].map(([, action, commit]) => [
    action,
    commit,
  ]);
  const distinct = new Set(pins.map((pin) => pin.join("@")));
  expect(distinct.size).toBe(new Set(pins.map(([action]) => action)).size);
});

test.each([
  ["a movable tag", "uses: actions/setup-node@v4", ["actions/setup-node@v4 is not pinned to a commit"]],
  [
    "a pin without its version",
    `uses: a/b@${"0".repeat(40)}`,
    [`a/b@${"0".repeat(40)} is not pinned to a commit`],
  ],
  ["npm ci in a job with id-token", "run: npm ci", ["publish has id-token and runs code"]],
  ["tests in a job with id-token", "run: .ci/run", ["publish has id-token and runs code"]],
  ["a cache in a job with id-token", "cache: npm", ["publish has id-token and reads a cache"]],
  ["an extra permission", "contents: write", ["publish may write contents"]],
])("%s is detected", (_, line, expected) => {
  const job = `publish:\n    permissions:\n      id-token: write\n    steps:\n      - ${line}\n`;
  expect(faultsOf(readWorkflow("x", `permissions: {}\njobs:\n  ${job}`))).toEqual(expected);
});

/** The scripts run on ubuntu-latest, with GNU tools. */
const isLinux = process.platform === "linux";

describe("release workflow", () => {
  test("the publishing job waits for the testing job, which has no permissions", () => {
    expect(release?.jobs.map(({ name }) => name)).toEqual(["build", "binary", "publish"]);
    expect(jobOf("publish")).toContain("needs: build\n");
    expect(jobOf("build")).toMatch(/permissions:\n {6}contents: read\n {4}\w/u);
    expect(jobOf("build")).toContain("run: .ci/run");
    expect(isTrusted(jobOf("build"))).toBe(false);
    expect(isTrusted(jobOf("publish"))).toBe(true);
  });

  test("the tarball is packed and hashed before the tests run", () => {
    const [pack, upload, tests] = ["npm pack", "upload-artifact", ".ci/run"].map((part) =>
      jobOf("build").indexOf(part),
    );
    expect(pack).toBeGreaterThan(0);
    expect([pack, upload, tests]).toEqual([pack, upload, tests].toSorted((a = 0, b = 0) => a - b));
  });

  test("the outputs of one job are the variables of the other", () => {
    for (const [name, variable] of [
      ["tarball", "TARBALL"],
      ["sha256", "SHA256"],
    ]) {
      expect(jobOf("build")).toContain(`${name}: \${{ steps.pack.outputs.${name} }}`);
      expect(jobOf("publish")).toContain(`${variable}: \${{ needs.build.outputs.${name} }}`);
    }
  });

  test.runIf(isLinux)("the packed tarball contains its repository and has the published hash", () => {
    const folder = path.join(temporaryFolder(), "repository");
    mkdirSync(folder);
    for (const name of readdirSync("."))
      if (!["node_modules", "dist", "coverage", "test", ".git"].includes(name) && !name.endsWith(".tgz"))
        cpSync(name, path.join(folder, name), { recursive: true });
    symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
    const before = readFileSync(path.join(folder, "package.json"), "utf8");
    const output = path.join(folder, "..", "output");
    const { status, stderr } = runStep(jobOf("build"), "pack", folder, {
      GITHUB_SERVER_URL: "https://git.example",
      GITHUB_REPOSITORY: "someone/dexdata",
      GITHUB_OUTPUT: output,
      RUNNER_TEMP: path.dirname(output),
    });
    // Otherwise the search for keys reads every package.
    rmSync(path.join(folder, "node_modules"));
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const outputs = Object.fromEntries(
      readFileSync(output, "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split("=")),
    );
    const tarball = path.join(folder, String(outputs["tarball"]));
    expect(outputs).toEqual({
      tarball: expect.stringMatching(/^dexdata-.*\.tgz$/u),
      sha256: hashOf(tarball),
    });
    const manifest = spawnSync("tar", ["-xOf", tarball, "package/package.json"], { encoding: "utf8" }).stdout;
    expect(JSON.parse(manifest)).toMatchObject({
      repository: { type: "git", url: "git+https://git.example/someone/dexdata.git" },
    });
    expect(readFileSync(path.join(folder, "package.json"), "utf8")).toBe(before);
  });

  test.runIf(isLinux).each([
    ["matches", "", 0, ["publish ./dexdata-1.2.3.tgz --provenance --access public --ignore-scripts"]],
    ["has an extra byte", "x", 1, []],
  ])("publishes a tarball only if it has the recorded hash: one that %s", (_, added, exit, calls) => {
    const folder = temporaryFolder();
    const tarball = path.join(folder, "dexdata-1.2.3.tgz");
    writeFileSync(tarball, "the package");
    const SHA256 = hashOf(tarball);
    appendFileSync(tarball, added);
    const log = path.join(folder, "npm.log");
    writeFileSync(log, "");
    mkdirSync(path.join(folder, "bin"));
    writeFileSync(path.join(folder, "bin", "npm"), `#!/bin/sh\necho "$@" >> '${log}'\n`, { mode: 0o755 });
    const { status } = runStep(jobOf("publish"), "publish", folder, {
      TARBALL: "dexdata-1.2.3.tgz",
      SHA256,
      PATH: [path.join(folder, "bin"), process.env["PATH"]].join(path.delimiter),
    });
    expect(status).toBe(exit);
    expect(readFileSync(log, "utf8").split("\n").filter(Boolean)).toEqual(calls);
  });
});

const hashOf = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Runs the script of a named step as GitHub does. */
function runStep(job: string, name: string, cwd: string, env: Readonly<Record<string, string>>) {
  const step = job.split(/^ {6}- /mu).find((each) => each.startsWith(`name: ${name}\n`)) ?? "";
  const script =
    /^ {8}run: \|\n((?: {10}.*\n|\n)+)/mu.exec(step)?.[1]?.replaceAll(/^ {10}/gmu, "") ?? "exit 99";
  return spawnSync("bash", ["-e", "-c", script], { cwd, env: { ...process.env, ...env }, encoding: "utf8" });
}
