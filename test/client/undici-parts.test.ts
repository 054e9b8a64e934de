import * as frontDoor from "undici";
import { expect, test } from "vitest";
import { Agent, buildConnector, errors } from "../../src/client/connection/undici-parts.ts";

test("the parts of undici that are loaded by themselves are those of its front door", () => {
  expect(Agent).toBe(frontDoor.Agent);
  expect(buildConnector).toBe(frontDoor.buildConnector);
  expect(errors).toBe(frontDoor.errors);
});
