import type { Socket } from "node:net";
import { after } from "../streams/ticker.ts";
import type { DeliveryStep } from "./delivery.ts";

/** Carries the steps out on a connection, past the HTTP server, which would mend what is to be broken. */
export function sendSteps(socket: Socket, steps: readonly DeliveryStep[]): void {
  let next = 0;
  let callOff: (() => void) | undefined;
  const go = (): void => {
    const step = steps[next];
    next += 1;
    if (step === undefined || socket.destroyed) return;
    if ("write" in step) socket.write(step.write, go);
    else if ("waitMs" in step) callOff = after(step.waitMs, go);
    else if (step.end === "reset") socket.resetAndDestroy();
    else socket.end();
  };
  socket.once("close", () => callOff?.());
  go();
}
