import type { ExitCode } from "./exit-codes.ts";

interface ServiceError {
  readonly status: number;
  readonly meaning: string;
  readonly next: string;
  /** Fields of the body other than `error` and `message`, each with an example. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const links = { upgrade: "https://…", docs: "https://…" };

/** Every value of `error` in the specification, with its status. The first of a status stands for a body without one. */
export const serviceErrors = {
  invalid_param: {
    status: 400,
    meaning:
      "a parameter has a value that the service does not take; its message lists the accepted ones where they are few",
    next: "correct the value; the same request will be refused again",
    fields: { param: "order_by" },
  },
  missing_param: {
    status: 400,
    meaning: "a parameter that is required was not sent",
    next: "add it",
    fields: { param: "start" },
  },
  unauthorized: {
    status: 401,
    meaning: "no key was sent where one is needed, or not in its form: the key alone, without a scheme word",
    next: "store one: dexdata auth login; see which is used: dexdata auth status",
    fields: {},
  },
  invalid_api_key: {
    status: 401,
    meaning: "the key that was sent is not known to the service",
    next: "store a valid one: dexdata auth login",
    fields: {},
  },
  forbidden: {
    status: 403,
    meaning: "the key may not do this",
    next: "see which key and plan are used: dexdata auth status",
    fields: {},
  },
  not_found: {
    status: 404,
    meaning: "the service knows no pool, token or DEX of that address; resource says which",
    next: "look it up on all networks: dexdata search <name or address>",
    fields: { resource: "pool" },
  },
  unsupported_network: {
    status: 404,
    meaning: "the network is not known by that name; an abbreviation is none",
    next: "list them: dexdata networks",
    fields: { param: "network" },
  },
  route_not_found: {
    status: 404,
    meaning: "the host has no such path",
    next: "check the base URL: dexdata config list; an old URL: dexdata migrate '<url>'",
    fields: {},
  },
  method_not_allowed: {
    status: 405,
    meaning: "the path is there, but not for that method; all but streams is GET",
    next: "check the base URL: dexdata config list",
    fields: {},
  },
  endpoint_removed: {
    status: 410,
    meaning: "the endpoint was removed for good; replacement names the one that took its place",
    next: "get the command for it: dexdata migrate '<old URL>'",
    fields: { code: 410, replacement: "/networks/{network}/pools/search", documentation: "https://…" },
  },
  rate_limited: {
    status: 429,
    meaning: "too many requests this minute, or too many streams at once; credits are not touched",
    next: "wait for Retry-After, or lower the pace: --rpm; the plans' rates: dexdata help credits",
    fields: { tier: "free", retry_after: 12, links },
  },
  internal_error: {
    status: 500,
    meaning: "the service failed",
    next: "try again later; dexdata has tried several times already (--retries)",
    fields: {},
  },
  unavailable: {
    status: 503,
    meaning: "the service is not available at the moment",
    next: "try again later, or let the run do it: --retry-on 502,503,504",
    fields: {},
  },
  payment_required: {
    status: 402,
    meaning:
      "the credits of the plan are used up; keyless and free ones come back as use grows 30 days old, those of dev and pro at resets_at",
    next: "register, upgrade, or enable overage; see: dexdata usage; bound a run: --max-credits, --estimate",
    fields: {
      tier: "pro",
      credits: { plan: 5000000, packs: 0, limit: 5000000, used: 5000000, remaining: 0 },
      overage: { enabled: false, cap: "0.00", used: "0.00", block: "20.00" },
      resets_at: "2026-12-01T00:00:00Z",
      links,
    },
  },
  plan_required: {
    status: 403,
    meaning:
      "the endpoint, or with param the value of one parameter, needs a higher plan; nothing was charged, whatever credits are left",
    next: "upgrade, or ask for less; what needs a plan: dexdata help credits",
    fields: { tier: "free", required_tier: "dev", param: "interval", links },
  },
  wrong_host: {
    status: 403,
    meaning:
      "the key is valid, but its plan belongs to the other host: keyless and free to the free one, dev and above to the paid one",
    next: "let the service say where it belongs: dexdata auth login",
    fields: { tier: "free", links },
  },
  preview_only: {
    status: 403,
    meaning: "without a key only some assets can be streamed",
    next: "register for a free key, then: dexdata auth login",
    fields: { tier: "keyless", links },
  },
} satisfies Readonly<Record<string, ServiceError>>;

export type ServiceCode = keyof typeof serviceErrors;

export function isServiceCode(word: string): word is ServiceCode {
  return Object.hasOwn(serviceErrors, word);
}

/** The meaning of a response for the run: the one table that decides exit code and retries. */
interface Meaning {
  readonly exit: ExitCode;
  /** Whether the client may retry the request: 429 and 500 only (specification). */
  readonly retried: boolean;
  /** The code to branch on if the body has none. */
  readonly code: ServiceCode;
}

const exitOfStatus: Readonly<Record<number, ExitCode>> = {
  400: 2,
  401: 4,
  402: 5,
  403: 4,
  404: 3,
  405: 2,
  410: 3,
  429: 6,
  500: 7,
};

/**
 * By status, which is always there: a body may be empty, HTML or outdated. The code in the body refines the message but
 * never the exit code, so a reworded or unknown code changes nothing.
 */
export function meaningOf(status: number): Meaning {
  const exit = exitOfStatus[status];
  const code = Object.keys(serviceErrors)
    .filter(isServiceCode)
    .find((each) => serviceErrors[each].status === status);
  if (exit !== undefined && code !== undefined)
    return { exit, retried: status === 429 || status === 500, code };
  if (status >= 500) return { exit: 7, retried: false, code: "unavailable" };
  if (status >= 400) return { exit: 2, retried: false, code: "invalid_param" };
  // 1xx and 3xx are not part of the API: such a response cannot be trusted.
  return { exit: 1, retried: false, code: "internal_error" };
}
