import * as frontDoor from "undici";
import { expect, test } from "vitest";
import { Agent, buildConnector, errors } from "../../src/client/connection/undici-parts.ts";
import { json, startScriptedServer } from "../harness/scripted-server.ts";

test("the parts of undici that are loaded by themselves are those of its front door", () => {
  expect(Agent).toBe(frontDoor.Agent);
  expect(buildConnector).toBe(frontDoor.buildConnector);
  expect(errors).toBe(frontDoor.errors);
});

test("an agent of these parts asks as one of the front door does", async () => {
  const server = await startScriptedServer(({ method, body }) => json({ method, body }));
  const ask = async (agent: frontDoor.Agent): Promise<unknown> => {
    const { statusCode, headers, body } = await agent.request({
      origin: server.url,
      path: "/stream",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '[{"asset":"é"}]',
    });
    const answer = { statusCode, type: headers["content-type"], text: await body.text() };
    await agent.close();
    return answer;
  };
  try {
    expect(await ask(new Agent())).toEqual(await ask(new frontDoor.Agent()));
    expect(server.requests[0]?.headers).toEqual(server.requests[1]?.headers);
  } finally {
    await server.close();
  }
});
