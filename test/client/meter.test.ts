import { describe, expect, test } from "vitest";
import { createMeter } from "../../src/client/meter.ts";
import type { Answer } from "../../src/client/connection/answer-body.ts";

function answer(left: number | string, status = 200): Answer {
  return {
    status,
    headers: new Map([["x-credits-remaining", String(left)]]),
    body: new Uint8Array(),
    received: 0,
  };
}

describe("credits before and left", () => {
  test("sequential requests: the first count plus its cost, and the last count", () => {
    const { meter, sent } = createMeter();
    for (const left of [99, 98, 97]) sent(1).answered(answer(left));
    expect(meter).toMatchObject({ credits: 3, creditsBefore: "100", creditsLeft: "97" });
  });

  test("responses out of order give the same counts", () => {
    const { meter, sent } = createMeter();
    const [a, b, c] = [sent(10), sent(10), sent(10)];
    b.answered(answer(80));
    c.answered(answer(70));
    a.answered(answer(90));
    expect(meter).toMatchObject({ requests: 3, credits: 30, creditsBefore: "100", creditsLeft: "70" });
  });

  test("responses that were all charged before the first one was sent", () => {
    const { meter, sent } = createMeter();
    for (const request of [sent(10), sent(10), sent(5)]) request.answered(answer(75));
    expect(meter).toMatchObject({ credits: 25, creditsBefore: "100", creditsLeft: "75" });
  });

  test("credits restored meanwhile count as left, but not as before", () => {
    const { meter, sent } = createMeter();
    sent(1).answered(answer(5));
    sent(1).answered(answer(5_000_000));
    expect(meter).toMatchObject({ creditsBefore: "6", creditsLeft: "5000000" });
  });

  test("a rejection is free, so the count before it is the same", () => {
    const { meter, sent } = createMeter();
    sent(1).answered(answer(0, 402));
    expect(meter).toMatchObject({ credits: 0, creditsBefore: "0", creditsLeft: "0" });
  });

  test("digits beyond 2^53 are exact; a value that is not a number is ignored", () => {
    const { meter, sent } = createMeter();
    sent(1).answered(answer("9007199254740993"));
    expect(meter).toMatchObject({ creditsBefore: "9007199254740994", creditsLeft: "9007199254740993" });
    const odd = createMeter();
    odd.sent(1).answered(answer("plenty"));
    for (const text of ["plenty", "-5", "1e3", "1.5", "", "\u0661", "99999999999999999999"])
      odd.sent(1).answered(answer(text));
    expect(odd.meter).toMatchObject({ creditsBefore: undefined, creditsLeft: undefined });
  });
});

test("possible charges are counted separately", () => {
  const { meter, sent } = createMeter();
  sent(10).lost();
  sent(1).lost();
  sent(1).answered(answer(5));
  expect(meter).toMatchObject({ requests: 3, credits: 1, creditsInDoubt: 11, requestsInDoubt: 2 });
});

test("what requests without a response may cost is known while they wait", () => {
  const { meter, sent } = createMeter();
  const [answered, lost, unsent] = [sent(1), sent(10), sent(100)];
  expect(meter).toMatchObject({ credits: 0, creditsAwaited: 111 });
  answered.answered(answer(5));
  lost.lost();
  unsent.unsent();
  expect(meter).toMatchObject({ credits: 1, creditsInDoubt: 10, creditsAwaited: 0 });
});
