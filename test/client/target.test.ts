import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { createAuthorization, chooseTarget, type Hosts, type Target } from "../../src/client/target.ts";
import { Failure } from "../../src/base/failure.ts";
import { tiers } from "../../src/api/tier.ts";

const hosts: Hosts = {
  rest: { free: "https://free.invalid", paid: "https://paid.invalid" },
  streaming: { free: "https://free-stream.invalid", paid: "https://paid-stream.invalid" },
};
const key = "api_dev_0001";
const keySource = "DEXDATA_API_KEY";

describe("the hosts of a run", () => {
  test("without a key: the free hosts and the keyless plan", () => {
    for (const tier of [undefined, "keyless"] as const) {
      expect(chooseTarget(hosts, { key: undefined, keySource: undefined, tier }, {})).toEqual({
        rest: hosts.rest.free,
        streaming: hosts.streaming.free,
        tier: "keyless",
        key: undefined,
        keySource: undefined,
        isSimulated: false,
      });
    }
  });

  test.each([
    ["free", "free"],
    ["dev", "paid"],
    ["pro", "paid"],
    ["enterprise", "paid"],
  ] as const)("with a key of the plan %s: the %s hosts", (tier, pair) => {
    expect(chooseTarget(hosts, { key, keySource, tier }, {})).toEqual({
      rest: hosts.rest[pair],
      streaming: hosts.streaming[pair],
      tier,
      key,
      keySource,
      isSimulated: false,
    });
  });

  test("a host that is set replaces only the host of its kind", () => {
    const identity = { key, keySource, tier: "dev" } as const;
    const own = { rest: hosts.rest.paid, streaming: hosts.streaming.paid };
    const [rest, streaming] = ["https://a.invalid/x", "https://b.invalid"];
    expect(chooseTarget(hosts, identity, { rest })).toMatchObject({ ...own, rest });
    expect(chooseTarget(hosts, identity, { streaming })).toMatchObject({ ...own, streaming });
    expect(chooseTarget(hosts, identity, { rest, streaming })).toMatchObject({ rest, streaming });
  });

  const refusal = (tier: (typeof tiers)[number] | undefined, ...[of, from]: readonly string[]): unknown => {
    try {
      return chooseTarget(hosts, { key: of, keySource: from, tier }, {});
    } catch (cause) {
      return cause instanceof Failure ? [cause.message, cause.details] : cause;
    }
  };

  test.each(tiers.slice(1))("a plan without a key is rejected: %s", (tier) => {
    const next = "set DEXDATA_API_KEY, or store a key: dexdata auth login";
    const details = { exit: 2, code: "usage", retryable: false, next };
    expect(refusal(tier)).toEqual([`the plan is set to ${tier}, but no key is set`, details]);
  });

  test.each([
    [undefined, keySource, keySource],
    ["keyless", keySource, keySource],
    [undefined, undefined, "the settings"],
  ] as const)("a key without its plan is rejected: %s, from %s", (tier, from, shown) => {
    const next =
      "set DEXDATA_TIER to free, dev, pro or enterprise, or store the key with its plan: dexdata auth login";
    const words = from === undefined ? [key] : [key, from];
    expect(refusal(tier, ...words)).toEqual([
      `the plan of the key from ${shown} is unknown; dexdata needs it to choose the host`,
      { exit: 2, code: "usage", retryable: false, next },
    ]);
  });
});

describe("the key", () => {
  const authorities = fc
    .tuple(
      fc.constantFrom("https://", "http://"),
      fc.constantFrom(
        "a.invalid",
        "b.invalid",
        "a.invalid.b.invalid",
        "127.0.0.1",
        "127.0.0.2",
        "localhost",
        "[::1]",
      ),
      fc.constantFrom("", ":443", ":80", ":8080"),
    )
    .map((parts) => parts.join(""));
  const paths = fc.constantFrom("", "/", "/dex/v1", "/a.invalid");

  test("is sent only to the two hosts of the run, over https or to localhost", () => {
    const port = (url: URL): string => url.port || (url.protocol === "https:" ? "443" : "80");
    const place = (text: string): string => {
      const url = new URL(text);
      return [url.protocol, url.hostname, port(url)].join(" ");
    };
    const own = fc.tuple(authorities, paths).map((parts) => parts.join(""));
    fc.assert(
      fc.property(own, own, authorities, paths, fc.nat(2), (rest, streaming, other, path, which) => {
        const target: Target = { rest, streaming, tier: "dev", key, keySource, isSimulated: false };
        const base = [rest, streaming, other][which] ?? other;
        const url = new URL(path, base);
        const isOwn = [rest, streaming].some((each) => place(each) === place(base));
        const isPrivate = base.startsWith("https://") || !new URL(base).hostname.endsWith("invalid");
        expect(createAuthorization(target)(url)).toEqual(isOwn && isPrivate ? { authorization: key } : {});
        expect(createAuthorization({ ...target, key: undefined })(url)).toEqual({});
      }),
      { numRuns: 1000 },
    );
  });
});
