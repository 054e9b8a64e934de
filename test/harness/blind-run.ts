import { createRandom } from "./random.ts";
import type { LiveConnection, LiveHost, Refusal } from "./live-host.ts";
import { page } from "./live-host.ts";

/** What a run can do besides listening. */
export interface Stage {
  readonly host: LiveHost;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly now: () => number;
  /** Pauses the reader of the output for this many milliseconds. */
  readonly pauseReader: (milliseconds: number) => Promise<void>;
  /** Suspends the program for this many milliseconds. */
  readonly suspend: (milliseconds: number) => Promise<void>;
  /** Writes a new list and reloads it; resolves when the program uses it. */
  readonly reload: (assets: readonly string[]) => Promise<void>;
}

export interface Course {
  /** When each asset was listed, in milliseconds since the epoch: from, and until, exclusively. */
  readonly listed: Map<string, { from: number; until: number }[]>;
  /** When the reader was paused or the program suspended; what arrived of the backlog is unknown then. */
  readonly doubts: { readonly from: number; readonly until: number }[];
  readonly done: string[];
}

export interface Plan {
  readonly assets: readonly string[];
  readonly all: readonly string[];
  readonly random: () => number;
  readonly seconds: number;
  readonly every: (asset: string) => number;
  readonly refuse: () => Refusal | undefined;
  /** Pages instead of streams until this moment, on the host's monotonic clock. */
  readonly paged: { until: number; elapsed: () => number };
}

/** 3 to 60 assets on up to 4 connections; each connection has several events a second. */
export function planRun(seed: number, seconds = 60): Plan {
  const random = createRandom(seed * 7919);
  const count = 3 + Math.floor(random() * 58);
  const all = Array.from(
    { length: count + 10 },
    (_, n) => `base:0x${(n + 1).toString(16).padStart(40, "0")}`,
  );
  const pace = 100 + random() * 100;
  const paged = { until: 0, elapsed: (): number => 0 };
  return {
    all,
    assets: all.slice(0, count),
    random,
    seconds,
    every: () => pace * Math.min(count, 15),
    refuse: () =>
      paged.elapsed() < paged.until ? page([403, 404, 502, 503][Math.floor(random() * 4)] ?? 503) : undefined,
    paged,
  };
}

/** Disturbs the run until its time is over. */
export async function disturb(stage: Stage, plan: Plan): Promise<Course> {
  const { host, sleep, now } = stage;
  const { random } = plan;
  const course: Course = { listed: new Map(), doubts: [], done: [] };
  const list = new Set<string>();
  const change = (assets: readonly string[]): void => {
    for (const asset of assets) {
      if (list.has(asset)) continue;
      const times = course.listed.get(asset) ?? [];
      course.listed.set(asset, [...times, { from: now(), until: Number.POSITIVE_INFINITY }]);
    }
    for (const asset of list) {
      const last = course.listed.get(asset)?.at(-1);
      if (!assets.includes(asset) && last !== undefined) last.until = now();
    }
    list.clear();
    for (const asset of assets) list.add(asset);
  };
  change(plan.assets);
  const pick = (): LiveConnection | undefined => {
    const open = host.open();
    return open[Math.floor(random() * open.length)];
  };
  const doubt = async (name: string, work: Promise<void>): Promise<void> => {
    const from = now();
    await work;
    course.doubts.push({ from, until: now() + 3000 });
    course.done.push(name);
  };
  const acts: readonly (() => Promise<void>)[] = [
    async () => await doubt("pause", stage.pauseReader(2000 + random() * 8000)),
    async () => await doubt("suspend", stage.suspend(2000 + random() * 7000)),
    async () => {
      await doubt("pause and cut", stage.pauseReader(2000 + random() * 8000));
      pick()?.cut();
    },
    async () => {
      pick()?.cut();
      course.done.push("cut");
    },
    async () => {
      pick()?.end();
      course.done.push("end");
    },
    async () => {
      plan.paged.until = plan.paged.elapsed() + 3000 + random() * 6000;
      pick()?.cut();
      course.done.push("pages");
    },
    async () => {
      const connection = pick();
      connection?.breakPath();
      await sleep(2000 + random() * 10_000);
      if (random() < 0.5) connection?.mend();
      else connection?.cut();
      course.done.push("dead path");
    },
    async () => {
      const connection = pick();
      for (let sent = 0; sent < 3; sent += 1) {
        const [network = "", address = ""] = (plan.all.at(-1) ?? "").split(":");
        const row = { address, chain: network, p: "1", number: -1 - sent };
        connection?.send(`event: token_price\ndata: ${JSON.stringify(row)}\nrequest_id: 0\n\n`);
      }
      course.done.push("foreign");
    },
    async () => {
      const kept = [...list].filter(() => random() < 0.9);
      const added = plan.all.slice(0, -1).filter((asset) => !list.has(asset) && random() < 0.1);
      const next = [...kept, ...added].slice(0, 75);
      if (next.length === 0) return;
      // Added assets are due from the reload on, removed ones until then.
      const before = now();
      await stage.reload(next);
      change(next);
      for (const asset of added) {
        const last = course.listed.get(asset)?.at(-1);
        if (last !== undefined) last.from = now();
      }
      for (const times of course.listed.values()) {
        const last = times.at(-1);
        if (last !== undefined && last.until < Number.POSITIVE_INFINITY && last.until > before)
          last.until = before;
      }
      course.done.push("reload");
    },
  ];
  const end = now() + plan.seconds * 1000;
  await sleep(3000);
  while (now() < end) {
    await acts[Math.floor(random() * acts.length)]?.();
    await sleep(500 + random() * 4000);
  }
  return course;
}
