import { expect, test } from "vitest";
import { contract } from "./service.ts";

contract("credits", {}, (service) => {
  test("213: there is no daily limit of 10,000", async () => {
    const asking = { key: "api_free_daily", host: "free" } as const;
    for (let asked = 0; asked <= 10_000; asked += 1) await service.ask("/usage", asking);
    expect((await service.ask("/usage", asking)).status).toBe(200);
  });
});
