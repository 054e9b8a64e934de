/** One run of dexdata. */
export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Run = (words: readonly string[]) => Promise<Ran>;

/** A response as the service sent it. */
export interface Response {
  /** 200, or what an error names. */
  readonly status: number;
  readonly body: unknown;
  readonly headers: ReadonlyMap<string, string>;
}

/** Thrown if dexdata rejects a response, e.g. one about another pool. */
export class Rejected extends Error {}

/** Thrown if the plan, the network or the credits prevent a look at the service. */
export class Unseen extends Error {}

export interface Service {
  /** Each response is requested once, unless the request is marked with another `turn`. */
  readonly get: (path: string, params?: Params, turn?: number) => Promise<Response>;
  readonly events: (words: readonly string[]) => Promise<Events>;
}

/** The first events of a stream. */
export interface Events {
  readonly isAccepted: boolean;
  readonly rows: readonly unknown[];
  /** A line for each connection. */
  readonly log: string;
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** Everything goes through the program, which knows the key, the hosts, the rate limit and the budget. */
export function createService(run: Run): Service {
  const known = new Map<string, Promise<Response>>();
  return {
    get: async (path, params = {}, turn = 0) => {
      const fields = Object.entries(params).flatMap(([name, value]) =>
        value === undefined ? [] : ["-f", `${name}=${value}`],
      );
      const key = JSON.stringify([path, fields, turn]);
      const response = known.get(key) ?? request(run, path, fields);
      known.set(key, response);
      return await response;
    },
    events: async (words) => {
      const flags = ["-o", "ndjson", "-q", "-v", "--error-format", "json"];
      const { exit, stdout, stderr } = await run(["stream", ...words, ...flags]);
      if (exit >= 4) throw new Unseen(`exit ${exit}`);
      const lines = stdout.split("\n").filter(Boolean);
      return { isAccepted: exit === 0, rows: lines.map((line): unknown => JSON.parse(line)), log: stderr };
    },
  };
}

async function request(run: Run, path: string, fields: readonly string[]): Promise<Response> {
  const flags = ["-o", "json", "-q", "-vv", "--no-strict", "--error-format", "json", "--retries", "1"];
  const { exit, stdout, stderr } = await run(["api", path, ...fields, ...flags]);
  const headers = new Map(
    [...stderr.matchAll(/^ {2}([\w-]+): (.*)$/gmu)].map(
      ([, name = "", value = ""]) => [name, value] as const,
    ),
  );
  if (exit === 0) return { status: 200, body: JSON.parse(stdout), headers };
  const error: unknown = JSON.parse(/^\{"code".*$/mu.exec(stderr)?.[0] ?? "{}");
  const status = Number(at(error, "status") ?? 0);
  if (exit >= 4 && exit <= 7) throw new Unseen(`exit ${exit}, HTTP ${status}`);
  if (exit === 1) throw new Rejected(stderr);
  return { status, body: undefined, headers };
}

/** A member of a member, e.g. `page_info.total_items`. */
export function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce(
      (part: unknown, name) =>
        typeof part === "object" && part !== null ? Reflect.get(part, name) : undefined,
      value,
    );
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const list = path === "" ? value : at(value, path);
  return Array.isArray(list) ? list : [];
}
