import type { IncomingMessage, ServerResponse } from "node:http";
import { respond } from "../http-messages.ts";
import type { FaultyResponse } from "./answer-with-faults.ts";
import { deliver } from "./delivery.ts";
import { sendSteps } from "./send-steps.ts";

export function sendAnswer(message: IncomingMessage, reply: ServerResponse, response: FaultyResponse): void {
  const { delivery } = response;
  if (delivery === undefined) respond(reply, response);
  else sendSteps(message.socket, deliver(delivery, response, message.method !== "HEAD"));
}
