import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { allCommands } from "../../src/cli/all-commands.ts";
import { answerShell } from "../../src/cli/complete.ts";
import { dexdata } from "../harness/dexdata.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

interface CachedList {
  readonly name: string;
  readonly at: number;
  readonly texts: readonly string[];
}

/** The environment of a shell on a machine with these cached lists and stored keys. */
function shellEnvironment(lists: readonly CachedList[] = []): Parameters<typeof answerShell>[0] {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  for (const [index, list] of lists.entries())
    writeFileSync(path.join(folder, `list-${index}.json`), JSON.stringify(list));
  const profile = { key: "api_pro_0123456789", tier: "pro", saved_at: "2026-11-21T08:54:00Z" };
  const profiles = { work: profile, home: { ...profile, tier: "dev" } };
  writeFileSync(
    path.join(folder, "credentials.json"),
    JSON.stringify({ version: 1, active: "work", profiles, remembered: {} }),
  );
  return { env: { DEXDATA_CACHE_DIR: folder, DEXDATA_CONFIG_DIR: folder }, platform: "linux" };
}

/** Returns what bash receives for the end of the line: kind, prefix and words. */
function completionsOf(line: string, context = shellEnvironment()): readonly string[] {
  const [head = "", ...rest] = answerShell(context, allCommands, ["bash", ...line.split(" ")])
    .trimEnd()
    .split("\n");
  return [head.replace("\t", " ").trim(), ...rest.map((each) => each.split("\t")[0] ?? "")];
}

describe.each(["bash", "zsh", "fish"])("%s completes file names", (shell) => {
  const kindOf = (...words: readonly string[]): string =>
    answerShell(shellEnvironment(), allCommands, [shell, ...words]).split("\n")[0] ?? "";

  /** The first argument of these commands is a file or a directory. */
  test.each(["verify", "sync"])("for the argument of %s", (command) => {
    expect(kindOf(command, "")).toBe("files\t");
    expect(kindOf(command, "ro")).toBe("files\t");
    expect(kindOf(command, "-q", "ro")).toBe("files\t");
  });

  test("for every file of verify", () => {
    expect(kindOf("verify", "a.csv", "")).toBe("files\t");
  });

  const takers = allCommands.filter(({ positionals }) => positionals.some(({ isList }) => isList === true));
  test.each(takers.map((command) => [command.words, command] as const))(
    "after @ for %s, in the place of the network and after it",
    (words, { positionals }) => {
      const command = words.split(" ");
      const [first] = positionals;
      if (first?.suggests !== "files") expect(kindOf(...command, "@po")).toBe("files\t@");
      if (positionals.length > 1) expect(kindOf(...command, "ethereum", "@")).toBe("files\t@");
    },
  );

  const flags = allCommands.flatMap(({ words, flags: own, shared }) =>
    Object.entries({ ...own, ...shared })
      .filter(([, { type }]) => type.name === "file")
      .map(([name]) => [words, name] as const),
  );
  test("for every flag that takes a file", () => {
    expect(flags.length).toBeGreaterThan(20);
    for (const [words, name] of flags) {
      expect([words, name, kindOf(...words.split(" "), `--${name}`, "")]).toEqual([words, name, "files\t"]);
      expect([words, name, kindOf(...words.split(" "), `--${name}=x`)]).toEqual([
        words,
        name,
        `files\t--${name}=`,
      ]);
    }
  });
});

describe("completion at the end of a line", () => {
  const cases: readonly (readonly [line: string, expected: readonly string[]])[] = [
    ["po", ["words", "pool", "pools"]],
    ["he", ["words", "help"]],
    ["auth lo", ["words", "login", "logout"]],
    ["--sandbox auth lo", ["words", "login", "logout"]],
    ["--profile auth lo", ["words"]],
    ["--ver", ["words", "--version"]],
    ["help poo", ["words", "pool", "pools"]],
    ["help pools ", ["words", "search"]],
    ["help exit", ["words", "exit-codes"]],
    ["commands pools ", ["words", "search"]],
    ["explain plan", ["words", "plan_required"]],
    ["completion ", ["words", "bash", "zsh", "fish"]],
    ["completion bash ", ["words", "--error-format", "--help"]],
    ["config set outp", ["words", "output"]],
    ["config set output nd", ["words", "ndjson"]],
    ["config set profile ", ["words", "work", "home"]],
    ["config get tie", ["words", "tier"]],
    ["config set tie", ["words"]],
    ["txns ethereum 0x1 --pag", ["words", "--page-size", "--page"]],
    ["txns ethereum 0x1 --page 2 --pag", ["words", "--page-size"]],
    ["txns ethereum 0x1 --page=2 --pag", ["words", "--page-size"]],
    ["txns ethereum 0x1 -o json --outp", ["words"]],
    ["api usage -f a=b --fie", ["words", "--field", "--fields"]],
    ["ohlcv ethereum 0x1 --interval 1", ["words", "1m", "10m", "15m", "1h", "12h", "1d", "1w"]],
    ["networks -o nd", ["words", "ndjson"]],
    ["networks -ond", ["words -o", "ndjson"]],
    ["networks --output=nd", ["words --output=", "ndjson"]],
    ["networks --quiet=x", ["words"]],
    ["networks --limit ", ["words"]],
    ["usage --tier p", ["words", "pro"]],
    ["usage --retry-on 502,", ["words 502,", "503", "504"]],
    ["pool bas", ["words", "base"]],
    ["pool ethereum ", ["words"]],
    ["pool ethereum 0x1 bas", ["words"]],
    ["pool ethereum:0x1 bas", ["words", "base:"]],
    ["pool ethereum:0", ["words"]],
    ["tokens search bas", ["words", "base"]],
    ["tokens search base --chai", ["words", "--chains"]],
    ["networks --qui", ["words", "--quiet"]],
    ["networks zzz", ["words"]],
    ["stream bas", ["words", "base:"]],
    ["stream base ", ["words"]],
    ["stream base:0x1 @li", ["files @"]],
    ["stream @", ["files @"]],
    ["pools search --chains ethereum,ba", ["words ethereum,", "base"]],
    ["pools search --chains=ethereum,ba", ["words --chains=ethereum,", "base"]],
    ["search weth --type tokens,", ["words tokens,", "pools", "dexes"]],
    ["networks --fields id,vol", ["words id,", "volume_usd_24h"]],
    ["pool base 0x1 --fields 24h.vol", ["words", "24h.volume_usd"]],
    ["pools search --fields tokens.0.sy", ["words", "tokens.0.symbol"]],
    ["pools search --fields toke", ["words", "tokens.0."]],
    ["usage --profile w", ["words", "work"]],
    ["networks --out ro", ["files"]],
    ["networks --out=ro", ["files --out="]],
    ["networks --key-file ro", ["files"]],
    ["stream base:0x1 --events ro", ["files"]],
    ["networks > ro", ["files"]],
    ["networks 2>ro", ["files 2>"]],
    ["sandbox -- np", ["files"]],
    ["nosuch ", ["words"]],
    ["nosuch --", ["words"]],
  ];
  test.each(cases)("%s", (line, expected) => {
    expect(completionsOf(line)).toEqual(expected);
  });

  test("offers every flag of every command", () => {
    expect(completionsOf("pools search --").slice(1)).toEqual(
      expect.arrayContaining(["--order-by", "--dex", "--output", "--help"]),
    );
    expect(completionsOf("dexes --")).not.toContain("--follow");
  });
});

test("names of assets, and after a network only those of its assets", async () => {
  const { env, platform } = shellEnvironment();
  const addresses = {
    pepe: "ethereum:0x610890d3b24bd6211d7b1c664dab1d29982e30d5",
    wsol: "solana:So11111111111111111111111111111111111111112",
  };
  for (const [name, address] of Object.entries(addresses))
    expect((await dexdata(`name add ${name} ${address}`, { env })).exit).toBe(0);
  const wordsOf = (line: string) => completionsOf(line, { env, platform }).slice(1);
  expect(wordsOf("name remove ")).toEqual(["pepe", "wsol"]);
  expect(wordsOf("pool ")).toEqual(["pepe", "wsol", ...completionsOf("dexes ").slice(1)]);
  for (const line of ["prices p", "prices wsol p", "ohlcv pepe --chart pe", "stream p"])
    expect(wordsOf(line)).toContain("pepe");
  for (const line of ["prices ethereum ", "pools search ethereum --token "])
    expect(wordsOf(line)).toEqual(["pepe"]);
  expect(wordsOf("pools search ethereum --token=w")).toEqual([]);
  for (const line of ["prices ethereum:p", "pools search p", "search p", "name add p"])
    expect(wordsOf(line)).not.toContain("pepe");
  writeFileSync(path.join(env["DEXDATA_CONFIG_DIR"] ?? "", "names.json"), "{");
  expect(wordsOf("name remove ")).toEqual([]);
});

describe("lists of the service that were cached on this machine", () => {
  const dexesOf = (at: number, ...texts: readonly string[]): CachedList => ({
    name: "https://a.invalid dexes ethereum",
    at,
    texts,
  });

  test("offers the newest list, however old, and only for the network on the line", () => {
    const context = shellEnvironment([dexesOf(2, "new\tNew"), dexesOf(1, "old\tOld")]);
    expect(completionsOf("pools search ethereum --dex ", context)).toEqual(["words", "new"]);
    expect(completionsOf("pools search base --dex ", context)).toEqual(["words"]);
    expect(completionsOf("pools search --dex ", context)).toEqual(["words"]);
  });

  test("omits words that have a meaning in a shell, and escapes control characters in names", () => {
    const evil = ["$(ls)", "a;ls", "`ls`", "a b", "-rf", "a\nb", "", "ok\t\u001b[31mred"];
    const context = shellEnvironment([dexesOf(1, ...evil)]);
    expect(answerShell(context, allCommands, ["zsh", "pools", "search", "ethereum", "--dex", ""])).toBe(
      "words\t\nok\t\\u{1b}[31mred\n",
    );
  });

  test("networks of the service replace those built into the sandbox", () => {
    const networks = { name: "https://a.invalid networks ", at: 1, texts: ["newnet\tNew", "other"] };
    expect(completionsOf("pool ", shellEnvironment([networks]))).toEqual(["words", "newnet", "other"]);
    expect(completionsOf("pool ")).toContain("ethereum");
  });

  test("ignores files that dexdata did not write", () => {
    const context = shellEnvironment();
    const folder = context.env["DEXDATA_CACHE_DIR"] ?? "";
    for (const [index, text] of ["", "{", "[]", '{"name":1}', '{"texts":[1]}'].entries())
      writeFileSync(path.join(folder, `list-${index}.json`), text);
    expect(completionsOf("pools search ethereum --dex ", context)).toEqual(["words"]);
  });

  test("caches a list that a command fetched completely", async () => {
    const rows = ["uniswap_v3", "curve"].map((id) => `{"dex_id":"${id}","dex_name":"${id.toUpperCase()}"}`);
    const server = await serveInTest(({ query }) => {
      const isFirst = query.get("page") === "1";
      return json(`{"dexes":[${isFirst ? rows.join(",") : ""}],"page_info":{"limit":100,"page":1}}`);
    });
    const cache = temporaryFolder();
    const env = { DEXDATA_BASE_URL: server.url, DEXDATA_CACHE_DIR: cache };
    const context = { env, platform: "linux" };
    const offered = (): readonly string[] => completionsOf("pools search ethereum --dex ", context);
    expect((await dexdata("dexes ethereum --limit 1", { env })).exit).toBe(0);
    expect(offered()).toEqual(["words"]);
    expect((await dexdata("dexes ethereum --all", { env })).exit).toBe(0);
    expect(offered()).toEqual(["words", "uniswap_v3", "curve"]);
  });
});
