import type * as undici from "undici";
import AgentClass from "undici/lib/dispatcher/agent.js";
import connect from "undici/lib/core/connect.js";
import errorClasses from "undici/lib/core/errors.js";

/**
 * The parts of undici that requests need. Its front door loads all of it (fetch, caches, mocks, WebSocket and what of
 * Node these need), which takes 60 ms of every command. The paths are undici's own affair: the version is pinned
 * exactly, and a test holds these parts against the front door.
 */
export const Agent: typeof undici.Agent = AgentClass;
export const buildConnector: typeof undici.buildConnector = connect;
export const errors: typeof undici.errors = errorClasses;
