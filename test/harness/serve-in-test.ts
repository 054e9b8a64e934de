import { afterEachTest } from "./after-tests.ts";
import { type Place, type Script, type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

const servers: ScriptedServer[] = [];

afterEachTest(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Starts a scripted server that is closed after the test, or after the test of a `beforeEach`. */
export async function serveInTest(script: Script, place?: Place): Promise<ScriptedServer> {
  const server = await startScriptedServer(script, place);
  servers.push(server);
  return server;
}
