import { startFaultySandbox } from "../faulty-sandbox.ts";
import { type DisturbingProxy, startDisturbingProxy } from "../disturbing-proxy.ts";
import { type Outcome, run } from "../dexdata.ts";
import { createTestContext, type TestContext } from "../test-context.ts";
import { pools } from "../disturbed-lists.ts";

/** Three pools with 40 to 160 rows a day. */
export const worldPools = [
  pools.quiet,
  "0x9c73482d3b49f680bf76b3e5802e9e1eeacea1dc",
  "0x133d08cbd9a7acc8e66b881a61b6b1ff90789322",
] as const;

/** What a service can do besides disturbing responses. */
export interface Weather {
  /** The service has transactions of a week, or of three days. */
  readonly reach: "7d" | "3d";
  /** Added to the `Date` header of a response with this number in the run, in milliseconds; undefined leaves it out. */
  readonly date: (response: number) => number | undefined;
  readonly arrived: (request: number) => Promise<void> | void;
}

export const fine: Weather = { reach: "7d", date: () => 0, arrived: () => undefined };

export interface LakeWorld {
  readonly proxy: DisturbingProxy;
  /** In milliseconds. */
  readonly now: () => number;
  readonly setNow: (now: number) => void;
  readonly setWeather: (weather: Weather) => void;
  /** Runs the program through the proxy. `ahead` is the error of this machine's clock in milliseconds. */
  readonly dexdata: (words: readonly string[], ahead?: number) => RunningProgram;
  /** Without the proxy, from a service that has everything. */
  readonly undisturbed: (words: readonly string[]) => Promise<Outcome>;
  /** For the built program. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

export interface RunningProgram {
  readonly context: TestContext;
  readonly outcome: Promise<Outcome>;
}

/** A service whose clock and reach the test changes, behind a disturbing proxy. */
export async function startLakeWorld(start: number): Promise<LakeWorld> {
  let [now, weather, requests, responses] = [start, fine, 0, 0];
  const serve = async (faults: string) => await startFaultySandbox(() => now, faults);
  const services = { "7d": await serve("reach=7d"), "3d": await serve("reach=3d") };
  const all = await serve("");
  const proxy = await startDisturbingProxy(all.restPaid, {
    service: () => services[weather.reach].restPaid,
    arrived: async () => {
      requests += 1;
      await weather.arrived(requests);
    },
    date: (date) => {
      responses += 1;
      const shift = weather.date(responses);
      return date === undefined || shift === undefined
        ? undefined
        : new Date(Date.parse(date) + shift).toUTCString();
    },
  });
  const env = (url: string) => ({
    DEXDATA_PRO_BASE_URL: url,
    DEXDATA_API_KEY: all.keys.pro,
    DEXDATA_TIER: "pro",
  });
  const begin = (words: readonly string[], url: string, at: number): RunningProgram => {
    const context = createTestContext({
      env: { LANG: "C.UTF-8", ...env(url) },
      now: at,
    });
    const argv = [...words, "--rpm", "unlimited", "--error-format", "text"];
    return { context, outcome: run(argv, context) };
  };
  return {
    proxy,
    now: () => now,
    setNow: (next) => {
      now = next;
    },
    setWeather: (next) => {
      [weather, requests, responses] = [next, 0, 0];
    },
    dexdata: (words, ahead = 0) => begin(words, proxy.url, now + ahead),
    undisturbed: async (words) => await begin(words, all.restPaid, now).outcome,
    env: () => env(proxy.url),
    close: async () => {
      await proxy.close();
      for (const server of [...Object.values(services), all]) await server.close();
    },
  };
}
