/**
 * What the service, or a proxy that wants a password, answers on purpose, and will answer again. Anything else (408, a redirect, the page of a proxy) comes
 * from something in between, and passes: whoever listens for weeks meets it.
 */
export const lastingRefusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 407, 410]);
