import type * as undici from "undici";
import AgentClass from "undici/lib/dispatcher/agent.js";
import connect from "undici/lib/core/connect.js";
import errorClasses from "undici/lib/core/errors.js";

/**
 * Importing the main entry loads everything (fetch, caches, mocks, WebSocket and the Node modules they need), which
 * adds 60 ms to every command. These paths are internal to undici, so the version is pinned exactly, and a test
 * compares the parts with the main entry.
 */
export const Agent: typeof undici.Agent = AgentClass;
export const buildConnector: typeof undici.buildConnector = connect;
export const errors: typeof undici.errors = errorClasses;
