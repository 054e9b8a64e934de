import type { ExitCode } from "../base/exit-codes.ts";
import { type ErrorFacts, type OwnCode, ownErrors } from "../base/errors.ts";
import { Failure, type FailureDetails } from "../base/failure.ts";

interface ServiceError {
  readonly status: number;
  readonly meaning: string;
  readonly next: string;
  /** The body's fields other than `error` and `message`, each with an example value. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

const links = { upgrade: "https://…", docs: "https://…" };

const all = {
  invalid_param: {
    status: 400,
    meaning:
      "A parameter has an invalid value. The service's message lists the accepted values if there are only a few",
    next: "correct the value; the same request will be rejected again",
    fields: { param: "order_by" },
  },
  missing_param: {
    status: 400,
    meaning: "A required parameter is missing",
    next: "add the parameter",
    fields: { param: "start" },
  },
  unauthorized: {
    status: 401,
    meaning:
      "A key is required, but none was sent, or its format is invalid. Send only the key, without a prefix such as Bearer",
    next: "store a key: dexdata auth login; see the key in use: dexdata auth status",
  },
  invalid_api_key: {
    status: 401,
    meaning: "The service does not recognize the key",
    next: "store a valid key: dexdata auth login",
  },
  forbidden: {
    status: 403,
    meaning: "The key is not allowed to do this",
    next: "see the key in use and its plan: dexdata auth status",
  },
  not_found: {
    status: 404,
    meaning: 'No pool, token or DEX was found at this address (see the "resource" field)',
    next: "search all networks: dexdata search <name or address>",
    fields: { resource: "pool" },
  },
  unsupported_network: {
    status: 404,
    meaning: "The network is unknown. Abbreviations are not accepted",
    next: "list all networks: dexdata networks",
    fields: { param: "network" },
  },
  route_not_found: {
    status: 404,
    meaning: "The path does not exist on this host",
    next: "check the base URL: dexdata config list; convert an old URL: dexdata explain '<URL>'",
  },
  method_not_allowed: {
    status: 405,
    meaning: "The path does not accept this method. All requests except streams use GET",
    next: "check the base URL: dexdata config list",
  },
  endpoint_removed: {
    status: 410,
    meaning: 'The endpoint was removed. The "replacement" field names its successor',
    next: "get the new command: dexdata explain '<old URL>'",
    fields: { code: 410, replacement: "/networks/{network}/pools/search", documentation: "https://…" },
  },
  rate_limited: {
    status: 429,
    meaning: "Too many requests were sent this minute, or too many streams are open. No credits are charged",
    next: "wait until the Retry-After time has passed, or lower the rate with --rpm; see the rate limit of each plan: dexdata help credits",
    fields: { tier: "free", retry_after: 12, links },
  },
  internal_error: {
    status: 500,
    meaning: "The service failed",
    next: "try again later; dexdata has already retried several times (--retries)",
  },
  unavailable: {
    status: 503,
    meaning:
      "The service, or a gateway in front of it, is temporarily unavailable, or another server sent an HTML page. dexdata retries 502, 503 and 504 if the run already had a response, and in sync, stream, --follow and --watch",
    next: "try again later, or always retry: --retry-on 502,503,504",
  },
  payment_required: {
    status: 402,
    meaning:
      'The plan is out of credits. On the keyless and free plans, credits become available again 30 days after they were spent. On dev and pro, they return at the time in the "resets_at" field',
    next: "register, upgrade, or enable overage; to limit a run, use --max-credits or --estimate; see your usage: dexdata usage",
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
      'The endpoint, or the parameter named in the "param" field, requires a higher plan. Nothing was charged',
    next: "upgrade, or use an endpoint or value that your plan includes; see which commands require a plan: dexdata help credits",
    fields: { tier: "free", required_tier: "dev", param: "interval", links },
  },
  wrong_host: {
    status: 403,
    meaning:
      "The key is valid, but not on this host. The keyless and free plans use the free hosts; dev, pro and enterprise use the paid hosts",
    next: "look up the plan of the key: dexdata auth status",
    fields: { tier: "free", links },
  },
  preview_only: {
    status: 403,
    meaning: "Without a key, only some assets can be streamed",
    next: "register for a free key, then store it: dexdata auth login",
    fields: { tier: "keyless", links },
  },
} satisfies Readonly<Record<string, ServiceError>>;

export type ServiceCode = keyof typeof all;

/** As in the specification. If a body has no code, the first entry with the same status applies. */
export const serviceErrors: Readonly<Record<ServiceCode, ServiceError>> = all;

export function isServiceCode(word: string): word is ServiceCode {
  return Object.hasOwn(serviceErrors, word);
}

const exitOfStatus: Readonly<Record<number, ExitCode>> = { 401: 4, 402: 5, 403: 4, 404: 3, 410: 3, 429: 6 };

/** The gateways in front of the service send these. They do not concern the request, so it may succeed later. */
const gatewayStatuses: readonly number[] = [502, 503, 504];

export function isGatewayStatus(status: number): boolean {
  return gatewayStatuses.includes(status);
}

/**
 * Only this function determines exit codes and whether a retry may help: by the status, because the body may be empty,
 * HTML or outdated. Its code only refines the message; if it has none, `code` is used.
 */
export function meaningOf(status: number) {
  const code = Object.keys(serviceErrors)
    .filter(isServiceCode)
    .find((each) => serviceErrors[each].status === status);
  const retryable = status === 429 || status === 500 || isGatewayStatus(status);
  if (status >= 500) return { exit: 7, retryable, code: code ?? "unavailable" } as const;
  if (status >= 400)
    return { exit: exitOfStatus[status] ?? 2, retryable, code: code ?? "invalid_param" } as const;
  // The API does not use 1xx and 3xx, so such a response cannot be trusted.
  return { exit: 1, retryable, code: "internal_error" } as const;
}

/** The public service responds to an unknown network or address with an empty body, so either may be the cause. */
export const networkDoubt = "; the network may not exist";

/** In the hint of such a failure, between the network that was probably meant and the steps if the network exists. */
export const otherwise = "Otherwise, ";

/** The codes of all failures: those in the service's error bodies, and dexdata's own. */
export type ErrorCode = ServiceCode | OwnCode;

export const errorCodes: readonly ErrorCode[] = [
  ...Object.keys(serviceErrors),
  ...Object.keys(ownErrors),
].filter(isErrorCode);

export function isErrorCode(word: string): word is ErrorCode {
  return isServiceCode(word) || Object.hasOwn(ownErrors, word);
}

/** The most common exit code comes first. */
export function exitsOf(code: ErrorCode): readonly ExitCode[] {
  if (isServiceCode(code)) return [factsOf(code).exit];
  const { exit, otherExit } = ownErrors[code];
  return otherExit === undefined ? [exit] : [exit, otherExit];
}

export function factsOf(code: ErrorCode): ErrorFacts {
  if (!isServiceCode(code)) return ownErrors[code];
  const { status, meaning, next } = serviceErrors[code];
  const { exit, retryable } = meaningOf(status);
  return { exit, retryable, meaning, next };
}

/** A failure with one of the service's codes, which determines the exit code and the defaults of `retryable` and `next`. */
export function failAsService(code: ServiceCode, message: string, details: Partial<FailureDetails>): Failure {
  const { exit, retryable, next } = factsOf(code);
  return new Failure(message, { exit, retryable, next, ...details, code });
}
