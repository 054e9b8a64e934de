// Importing undici's main entry loads everything (fetch, caches, mocks, WebSocket and the Node modules they need), which
// adds 60 ms to every command. These modules are internal to undici and have no types of their own, so the version is
// pinned exactly, and a test compares their values with the main entry's.
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
declare module "undici/lib/core/connect.js" {
  export { buildConnector as default } from "undici";
}
declare module "undici/lib/core/errors.js" {
  export { errors as default } from "undici";
}
