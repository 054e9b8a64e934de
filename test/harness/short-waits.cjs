// For a child process of a test: waits of about a second, as before a request is sent again, pass a hundred times faster.
const { setTimeout: real } = globalThis;
globalThis.setTimeout = (call, milliseconds, ...args) =>
  real(call, milliseconds > 900 && milliseconds < 10_000 ? milliseconds / 100 : milliseconds, ...args);
