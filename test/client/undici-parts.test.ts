import * as frontDoor from "undici";
import { expect, test } from "vitest";
import { Agent, buildConnector, errors } from "../../src/client/connection/undici-parts.ts";

test("the parts of undici that are loaded separately equal its public exports", () => {
  expect(Agent).toBe(frontDoor.Agent);
  expect(buildConnector).toBe(frontDoor.buildConnector);
  expect(errors).toBe(frontDoor.errors);
});
