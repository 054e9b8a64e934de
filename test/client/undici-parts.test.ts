import * as frontDoor from "undici";
import buildConnector from "undici/lib/core/connect.js";
import errors from "undici/lib/core/errors.js";
import Agent from "undici/lib/dispatcher/agent.js";
import { expect, test } from "vitest";

test("the parts of undici that are loaded separately equal its public exports", () => {
  expect(Agent).toBe(frontDoor.Agent);
  expect(buildConnector).toBe(frontDoor.buildConnector);
  expect(errors).toBe(frontDoor.errors);
});
