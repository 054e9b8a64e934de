import { anyCharacter, fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { createFaultCounter, isDue } from "../../src/sandbox/faults/due-faults.ts";
import type { Fault, Faults } from "../../src/sandbox/fault-kinds.ts";
import { parseFaults } from "../../src/sandbox/parse-faults.ts";
import { dexdata } from "../harness/dexdata.ts";

const always = { by: "range", from: 1, to: Number.POSITIVE_INFINITY } as const;

const share = (part: number): Fault["when"] => ({ by: "rate", share: part, length: 1 });

describe("--faults grammar", () => {
  const accepted: readonly (readonly [string, Partial<Fault>])[] = [
    ["429", { kind: "status", amount: 429, when: always }],
    ["429=7x3", { kind: "status", amount: 429, word: "7", when: { by: "range", from: 1, to: 3 } }],
    ["500:5%", { kind: "status", amount: 500, when: { by: "rate", share: 0.05, length: 1 } }],
    ["500:0.5%x3", { when: { by: "rate", share: 0.005, length: 3 } }],
    ["reset-before@7", { kind: "reset-before", when: { by: "range", from: 7, to: 7 } }],
    ["reset-beforex3", { kind: "reset-before", when: { by: "range", from: 1, to: 3 } }],
    ["reset-body@7-9", { kind: "reset-body", when: { by: "range", from: 7, to: 9 } }],
    ["truncate@7-", { when: { by: "range", from: 7, to: Number.POSITIVE_INFINITY } }],
    ["slow-body=1.5s:2%", { kind: "slow-body", amount: 1500 }],
    ["slow-headers=300ms", { kind: "slow-headers", amount: 300 }],
    ["slow-body", { kind: "slow-body", amount: 3000 }],
    ["html", { kind: "html", amount: 403 }],
    ["html=502x1", { kind: "html", amount: 502 }],
    ["plan=dev@2", { kind: "plan", word: "dev" }],
    ["plan", { kind: "plan", word: undefined }],
    ["drop-filter=fdv_usd_max", { kind: "drop-filter", word: "fdv_usd_max", when: always }],
    ["drop-filter=fdv_usd_maxx2", { word: "fdv_usd_max", when: { by: "range", from: 1, to: 2 } }],
    ["500x3/pools/search", { path: "/pools/search", when: { by: "range", from: 1, to: 3 } }],
    ["empty=404/tokens", { kind: "empty", amount: 404, path: "/tokens", when: always }],
    ["empty-page", { kind: "empty-page", when: { by: "range", from: 1, to: 1 } }],
    ["short-page@3", { kind: "short-page", when: { by: "range", from: 3, to: 3 } }],
    ["stale-page:5%", { kind: "stale-page", when: { by: "rate", share: 0.05, length: 1 } }],
    ["missing-cursorx2", { kind: "missing-cursor", when: { by: "range", from: 1, to: 2 } }],
    ["duplicate-page", { kind: "duplicate-page", when: always }],
    ["overlap-page", { kind: "overlap-page", amount: 3, when: { by: "range", from: 1, to: 1 } }],
    ["overlap-page=12@2-4", { kind: "overlap-page", amount: 12, when: { by: "range", from: 2, to: 4 } }],
    ["foreign-page:5%", { kind: "foreign-page", amount: undefined, when: share(0.05) }],
    ["stream-cut=10", { kind: "stream-cut", amount: 10 }],
    ["stream-silent", { kind: "stream-silent", amount: 0 }],
    ["stream-error", { kind: "stream-error", amount: 3 }],
    ["slow-body=1h", { amount: 3_600_000 }],
    ["late-rows", { kind: "late-rows", amount: 90_000, when: share(0.02) }],
    ["late-rows=3h:1%", { amount: 10_800_000, when: share(0.01) }],
    ["late-rows=30d:0%", { amount: 2_592_000_000, when: share(0) }],
    ["late-pools", { kind: "late-pools", amount: 600_000, when: share(0.2) }],
    ["withdrawn-rows", { kind: "withdrawn-rows", amount: 60_000, when: share(0.01) }],
    ["withdrawn-rows=10m:100%/transactions", { amount: 600_000, when: share(1), path: "/transactions" }],
    ["reorg", { kind: "reorg", amount: 3, when: share(0.01) }],
    ["reorg=64:0.5%", { amount: 64, when: share(0.005) }],
    ["reach", { kind: "reach", amount: 604_800_000, when: always }],
    ["reach=400d/transactions", { amount: 34_560_000_000, path: "/transactions", when: always }],
  ];
  test.each(accepted)("%s", (spec, expected) => {
    expect(parseFaults(spec)).toEqual([expect.objectContaining({ text: spec, ...expected })]);
  });

  test("commas separate parts, with optional spaces", () => {
    expect(parseFaults("429x3, 500:5% ,reset-body@7").map(({ text }) => text)).toEqual([
      "429x3",
      "500:5%",
      "reset-body@7",
    ]);
  });

  const when =
    "must be x3 (the first three), @7, @7-9, @7-, :5% or :5%x3 (bursts of at most 1000), counted from 1";
  const refused: readonly (readonly [string, string, string | undefined])[] = [
    ["", `"": must be a status from 400 to 599 or the name of a fault`, undefined],
    ["429,", `"": must be a status from 400 to 599 or the name of a fault`, undefined],
    [
      "truncat:5%",
      `"truncat" in "truncat:5%": must be a status from 400 to 599 or the name of a fault`,
      "did you mean truncate?",
    ],
    ["399", `"399": must be a status from 400 to 599 or the name of a fault`, undefined],
    ["4290", `"4290": must be a status from 400 to 599 or the name of a fault`, undefined],
    ["HTML", `"HTML": must be a status from 400 to 599 or the name of a fault`, "did you mean html?"],
    ["429:5", `":5" in "429:5": ${when}`, undefined],
    ["429:0%", `":0%" in "429:0%": ${when}`, undefined],
    ["429:101%", `":101%" in "429:101%": ${when}`, undefined],
    ["429x0", `"x0" in "429x0": ${when}`, undefined],
    ["429@0", `"@0" in "429@0": ${when}`, undefined],
    ["429@9-7", `"@9-7" in "429@9-7": ${when}`, undefined],
    ["429:5%x2000", `":5%x2000" in "429:5%x2000": ${when}`, undefined],
    ["429x3@7", `"x3@7" in "429x3@7": ${when}`, undefined],
    ["429=soon", `"soon" in "429=soon": 429 takes the seconds to wait, such as 429=7`, undefined],
    ["500=7", `"7" in "500=7": 500 takes no value`, undefined],
    ["truncate=7", `"7" in "truncate=7": truncate takes no value`, undefined],
    ["html=600", `"600" in "html=600": html takes a status that has a body, from 200 to 599`, undefined],
    ["empty=204", `"204" in "empty=204": empty takes a status that has a body, from 200 to 599`, undefined],
    [
      "slow-body=3",
      `"3" in "slow-body=3": slow-body takes a duration such as 300ms, 2s, 1m, 3h or 7d`,
      "use slow-body alone for the default",
    ],
    [
      "plan=fre",
      `"fre" in "plan=fre": plan takes one of keyless, free, dev, pro, enterprise`,
      "did you mean plan=free?",
    ],
    ...["x3", "@7", "@7-9", ":5%x3", ":101%", ":5"].map(
      (typed) =>
        [
          `late-rows=90s${typed}`,
          `"${typed}" in "late-rows=90s${typed}": late-rows affects a share of all rows, such as late-rows=90s:2%`,
          "a share is from 0% to 100%; requests are not counted for this kind",
        ] as const,
    ),
    [
      "withdrawn-rowsx3",
      `"x3" in "withdrawn-rowsx3": withdrawn-rows affects a share of all rows, such as withdrawn-rows=60s:1%`,
      undefined,
    ],
    ["reorg@7", `"@7" in "reorg@7": reorg affects a share of all blocks, such as reorg=3:1%`, undefined],
    [
      "reach=7d:5%",
      `":5%" in "reach=7d:5%": reach affects all transactions, so it does not take a share`,
      `omit ":5%"`,
    ],
    ["reorg=65", `"65" in "reorg=65": reorg takes a number of blocks from 1 to 64`, undefined],
    ["reorg=0", `"0" in "reorg=0": reorg takes a number of blocks from 1 to 64`, undefined],
    [
      "late-rows=2",
      `"2" in "late-rows=2": late-rows takes a duration such as 300ms, 2s, 1m, 3h or 7d`,
      "use late-rows alone for the default",
    ],
    [
      "late-rows=31d",
      `"31d" in "late-rows=31d": late-rows takes a duration of at most 30d, such as 90s, 3h or 7d`,
      undefined,
    ],
    ["stream-cut=x", `"x" in "stream-cut=x": stream-cut takes a number of events`, undefined],
    [
      "drop-filter=a b",
      `"a b" in "drop-filter=a b": drop-filter takes the name of a filter, such as volume_usd_24h_min`,
      undefined,
    ],
  ];
  test.each(refused)("%s is rejected by name", (spec, problem, next) => {
    expect(() => parseFaults(spec)).toThrow(
      expect.objectContaining({ message: `--faults ${problem}`, next: next ?? expect.any(String) }),
    );
  });

  test("an invalid --faults is a usage error, and no request is sent", async () => {
    const { exit, stdout, stderr } = await dexdata(
      "networks --sandbox --error-format text --faults 429x3,trunacte",
    );
    expect({ exit, stdout, stderr }).toEqual({
      exit: 2,
      stdout: "",
      stderr: `error: --faults "trunacte": must be a status from 400 to 599 or the name of a fault\n  hint: did you mean truncate?\n`,
    });
  });

  test("--faults is rejected without --sandbox", async () => {
    const { exit, stderr } = await dexdata("networks --error-format text --faults 429");
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: "error: --faults requires --sandbox\n  hint: add --sandbox\n",
    });
  });

  test("any text is either parsed or rejected with a message", () => {
    const part = fc.constantFrom("429", "500", "truncate", "drop-filter", "=", "x", ":", "%", "@", "-", "/");
    const near = fc.array(fc.oneof(part, fc.nat(999).map(String)), { maxLength: 8 });
    const spec = fc.oneof(
      fc.string({ unit: anyCharacter }),
      near.map((words) => words.join("")),
    );
    fc.assert(
      fc.property(spec, fc.integer(), (typed, seed) => {
        let faults: Faults;
        try {
          faults = parseFaults(typed);
        } catch (error) {
          expect(error).toMatchObject({ code: "usage", next: expect.any(String) });
          return;
        }
        expect(faults.length).toBe(typed.split(",").length);
        const counter = createFaultCounter(faults, seed);
        counter.forRequest("/networks/x/pools/search?txns_24h_min=1&cursor=a");
        counter.forStream("/sse/prices");
      }),
      { numRuns: 600, seed: 20261121 },
    );
  });
});

describe("fault schedule", () => {
  const [rate] = parseFaults("500:25%");
  const [same] = parseFaults("500:25%x1");
  if (rate === undefined || same === undefined) throw new Error("not read");

  test("faults depend on seed, fault and number only, and match the rate approximately", () => {
    const numbers = Array.from({ length: 4000 }, (_, index) => index + 1);
    const dueNumbers = (seed: number): readonly number[] =>
      numbers.filter((number) => isDue(rate, number, seed));
    expect(dueNumbers(1)).toEqual(dueNumbers(1));
    expect(dueNumbers(1)).not.toEqual(dueNumbers(2));
    expect(dueNumbers(1).length / numbers.length).toBeGreaterThan(0.22);
    expect(dueNumbers(1).length / numbers.length).toBeLessThan(0.28);
    expect(numbers.filter((number) => isDue(same, number, 1))).toEqual(dueNumbers(1));
  });
});

describe("stream faults", () => {
  test("stream faults count opened streams and do not affect requests", () => {
    const counter = createFaultCounter(parseFaults("stream-cut=5@2,stream-error@3/sse/prices"), 1);
    expect(counter.forRequest("/sse/prices")).toEqual({
      answer: undefined,
      delivery: undefined,
      changes: [],
      headers: [],
    });
    expect(counter.forStream("/sse/prices")).toBeUndefined();
    expect(counter.forStream("/sse/transactions")).toMatchObject({ kind: "stream-cut", amount: 5 });
    expect(counter.forStream("/sse/prices")).toBeUndefined();
    expect(counter.forStream("/sse/prices")).toMatchObject({ kind: "stream-error", amount: 3 });
  });
});
