/** The service has ended a stream: a client stops reconnecting (WHATWG HTML, Server-sent events). */
export const endedForGood = 204;

/**
 * What the service, or a proxy that wants a password, answers on purpose, and will answer again. Anything else (408, a redirect, the page of a proxy) comes
 * from something in between, and passes: whoever listens for weeks meets it.
 */
export const lastingRefusals: ReadonlySet<number> = new Set([
  endedForGood,
  400,
  401,
  402,
  403,
  404,
  405,
  407,
  410,
]);
