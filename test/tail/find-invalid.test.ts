import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { findInvalid } from "../../src/client/live/find-invalid.ts";
import type { Subject } from "../../src/client/subject.ts";

const subjects = (count: number): readonly Subject[] =>
  Array.from({ length: count }, (_, index) => ({
    network: "base",
    address: `0x${index.toString(16).padStart(40, "0")}`,
  }));

const refusal = (why: string | undefined, status = 400): Failure =>
  new Failure("refused", { exit: 2, status, why, code: status === 404 ? "not_found" : "invalid_param" });

/** Simulates a service that rejects batches with an invalid asset, with this message. */
function service(
  bad: ReadonlySet<Subject>,
  words: (subject: Subject, all: readonly Subject[]) => string | undefined,
): {
  readonly probe: (some: readonly Subject[]) => Promise<Failure | undefined>;
  readonly opens: () => number;
} {
  let opens = 0;
  return {
    opens: () => opens,
    probe: async (some) => {
      opens += 1;
      const first = some.find((subject) => bad.has(subject));
      return await Promise.resolve(first === undefined ? undefined : refusal(words(first, some)));
    },
  };
}

describe("the invalid assets of a rejected batch", () => {
  const all = subjects(25);
  const last = all.at(-2);
  if (last === undefined) throw new Error("there are 25");

  test.each([
    ["the specification's message", `token not found: ${last.network}/${last.address}`],
    [
      "any sentence that names the address",
      `bad address "${last.address.toUpperCase().replace("X", "x")}", sorry`,
    ],
  ])("%s names one: no connection is opened", async (_, why) => {
    const { probe, opens } = service(new Set([last]), () => why);
    expect(await findInvalid(all, refusal(why), probe)).toEqual([last]);
    expect(opens()).toBe(0);
  });

  test("a position in the batch is a hint: that asset is tried alone, and if it is accepted, the others are searched", async () => {
    for (const why of ["asset 23: token not found", "asset 24: token not found"]) {
      const { probe, opens } = service(new Set([last]), () => why);
      expect(await findInvalid(all, refusal(why), probe)).toEqual([last]);
      expect(opens()).toBeLessThanOrEqual(why.includes("23") ? 1 : 20);
    }
  });

  test("if several are named, each is tried alone", async () => {
    const why = `none of ${all.map(({ address }) => address).join(", ")} may be refused`;
    const { probe } = service(new Set([last]), () => why);
    expect(await findInvalid(all, refusal(why), probe)).toEqual([last]);
  });

  test("an unsupported chain names all assets on it", async () => {
    const nosuch = ["0x1", "0x2"].map((address) => ({ network: "nosuch", address }));
    const why = "unsupported chain: nosuch";
    const { probe, opens } = service(new Set(nosuch), () => why);
    expect(await findInvalid([...all, ...nosuch], refusal(why), probe)).toEqual(nosuch);
    expect(opens()).toBe(2);
  });

  test("rule 129: without a message, bisection finds one invalid asset in as few connections as possible", async () => {
    for (let count = 2; count <= 25; count += 1) {
      const some = all.slice(0, count);
      // The last two confirm that this asset is rejected alone and that all others are accepted together.
      const most = Math.ceil(Math.log2(count)) + 2;
      for (const bad of some) {
        const { probe, opens } = service(new Set([bad]), () => undefined);
        expect(await findInvalid(some, refusal(undefined), probe)).toEqual([bad]);
        expect(opens(), `${bad.address} of ${count}`).toBeLessThanOrEqual(most);
      }
    }
  });

  test("an asset that is accepted alone is not reported, even if the service rejects all of them together", async () => {
    for (let most = 1; most < 25; most += 1) {
      const probe = async (some: readonly Subject[]): Promise<Failure | undefined> =>
        await Promise.resolve(some.length > most ? refusal(undefined) : undefined);
      expect(await findInvalid(all, refusal(undefined), probe)).toEqual([]);
    }
  });

  test("several invalid assets: after seven connections REST suggests candidates, and only connections decide", async () => {
    const bad = new Set(all.filter((_, index) => index % 2 === 1));
    const priced = all[1];
    const asked: Subject[] = [];
    const suspects = async (some: readonly Subject[]) => {
      asked.push(...some);
      // One invalid asset has a price, and one valid asset has none.
      return await Promise.resolve(
        some.filter((each) => (bad.has(each) ? each !== priced : each === all[24])),
      );
    };
    const alone = service(bad, () => undefined);
    await findInvalid(all, refusal(undefined), alone.probe);
    const { probe, opens } = service(bad, () => undefined);
    const found = await findInvalid(all, refusal(undefined), probe, suspects);
    expect(new Set(found)).toEqual(bad);
    expect(asked.length).toBeLessThan(25);
    expect(opens()).toBeLessThan(alone.opens() - 8);
  });

  test("one invalid asset costs no credit: REST is not used, and the search also works without REST", async () => {
    for (const bad of all) {
      const { probe } = service(new Set([bad]), () => undefined);
      const suspects = () => Promise.reject(new Error("nobody asks REST"));
      expect(await findInvalid(all, refusal(undefined), probe, suspects)).toEqual([bad]);
    }
    const { probe } = service(new Set(all), () => undefined);
    expect(await findInvalid(all, refusal(undefined), probe, async () => await Promise.resolve([]))).toEqual(
      all,
    );
  });

  test("any set of invalid assets is found exactly", async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray([...all], { minLength: 1 }), async (bad) => {
        const { probe } = service(new Set(bad), () => undefined);
        expect(await findInvalid(all, refusal(""), probe)).toEqual(bad);
      }),
    );
  });

  test("a rejection for another reason blames no asset", async () => {
    const { probe } = service(new Set(), () => undefined);
    const forInterval = new Failure("no", {
      exit: 2,
      code: "invalid_param",
      status: 400,
      body: new Map([["param", '"interval"']]),
    });
    expect(await findInvalid(all, forInterval, probe)).toEqual([]);
    expect(await findInvalid(all, refusal("x", 403), probe)).toEqual([]);
    expect(await findInvalid(all.slice(0, 1), refusal("Not Found", 404), probe)).toEqual([]);
    // Each half is accepted alone, so no asset can be named.
    expect(await findInvalid(all, refusal("too many for today"), probe)).toEqual([]);
  });
});
