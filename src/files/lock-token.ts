import { readFileSync, readlinkSync } from "node:fs";
import { getPriority, hostname, uptime } from "node:os";
import type { Context } from "../context/context.ts";
import { isObject } from "../json/raw-json.ts";

/** The process that holds a lock, described so that other processes can check whether it still runs. */
export interface Holder {
  readonly host: string;
  /** Linux: changes each time the machine starts. Undefined on other platforms. */
  readonly boot: string | undefined;
  /** The scope of `pid`: the PID namespace on Linux, otherwise the platform; undefined if unknown. */
  readonly namespace: string | undefined;
  readonly pid: number;
  /** Linux: clock ticks from the start of the machine to the start of the process. Undefined on other platforms. */
  readonly started: string | undefined;
}

/** `unknown`: another container or host, or a process that this one cannot inspect. */
export type HolderState = "running" | "gone" | "unknown";

/** Facts about this process that no file has. */
export type Self = Pick<Context, "pid" | "platform">;

let own: Holder | undefined;
let count = 0;

/** Describes this process. The result never changes, so the system is queried once. */
function ownHolder(self: Self): Holder {
  own ??= { host: readHost(), ...readPlace(self), pid: self.pid };
  return own;
}

/** Loading `node:os` takes longer than everything else here, and every run that sends a request takes a lock. */
function readHost(): string {
  return tryRead(() => readFileSync("/proc/sys/kernel/hostname", "utf8").trim()) ?? hostname();
}

export interface LockToken {
  /** Unique among all locks, even of the same process. */
  readonly id: string;
  /** One line of constant length. `now`: milliseconds since the epoch, for people who read the file. */
  readonly text: (now: number) => string;
}

export function createToken(context: Self & Pick<Context, "random">): LockToken {
  count += 1;
  const id = `${Math.floor(context.random() * 2 ** 48).toString(16)}-${count}`;
  return {
    id,
    text: (now) => `${JSON.stringify({ ...ownHolder(context), at: new Date(now).toISOString(), id })}\n`,
  };
}

/** Whether the text is a token, or the start of one. Any other text means that another program owns the file. */
export function isToken(text: string): boolean {
  const begin = '{"host":';
  return begin.startsWith(text.slice(0, begin.length));
}

/** Undefined if the text is not a complete token from `createToken`. */
export function readToken(text: string): (Holder & { readonly id: string }) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { host, id, pid, boot, namespace, started } = value;
  if (typeof host !== "string" || typeof id !== "string") return undefined;
  if (typeof pid !== "number" || !(pid > 0)) return undefined;
  return { host, boot: textOf(boot), namespace: textOf(namespace), pid, started: textOf(started), id };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Whether the process that wrote a token still runs. `age`: milliseconds since the last write of the lock, by the clock of
 * its file system.
 */
export function stateOf(context: Self, holder: Holder, age: () => number): HolderState {
  const self = ownHolder(context);
  if (holder.host !== self.host) return "unknown";
  if (holder.boot !== self.boot) {
    // Two machines can share a name. A lock written since this machine started is not from before that start.
    return holder.boot !== undefined && self.boot !== undefined && age() > uptime() * 1000
      ? "gone"
      : "unknown";
  }
  if (self.namespace === undefined || holder.namespace !== self.namespace) return "unknown";
  if (!hasProcess(holder.pid)) return "gone";
  const process = readProcess(String(holder.pid));
  // It may have ended between the two checks.
  if (process === undefined) return hasProcess(holder.pid) ? "unknown" : "gone";
  if (holder.started === undefined) return "unknown";
  return process.started === holder.started && !process.isDead ? "running" : "gone";
}

/** For messages: `process 123`, with its host or container if it is another one. */
export function describeHolder(context: Self, holder: Holder | undefined): string {
  if (holder === undefined) return "another process";
  const self = ownHolder(context);
  const process = `process ${holder.pid}`;
  // Two machines can share a name.
  if (holder.host !== self.host || holder.boot !== self.boot) return `${process} on host ${holder.host}`;
  return holder.namespace === self.namespace ? process : `${process} in another container`;
}

function readPlace({ pid, platform }: Self): Pick<Holder, "boot" | "namespace" | "started"> {
  // macOS and Windows have no PID namespaces, and show the start of a process only through another program.
  if (platform !== "linux") return { boot: undefined, namespace: platform, started: undefined };
  const boot = tryRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = tryRead(() => readlinkSync("/proc/self/ns/pid"));
  // In the /proc of another namespace, this process has another number, and its number belongs to another process.
  const isOwn = tryRead(() => readlinkSync("/proc/self")) === String(pid);
  return { boot, namespace: isOwn ? namespace : undefined, started: readProcess("self")?.started };
}

/** Processes of other users and zombies count, too. */
function hasProcess(id: number): boolean {
  try {
    getPriority(id);
    return true;
  } catch (error) {
    // A SystemError has the name of the errno in `info` and in its message.
    return !(error instanceof Error && error.message.includes("ESRCH"));
  }
}

/** Undefined without /proc, or if it hides the processes of other users. */
function readProcess(
  id: string,
): { readonly started: string | undefined; readonly isDead: boolean } | undefined {
  const text = tryRead(() => readFileSync(`/proc/${id}/stat`, "latin1"));
  if (text === undefined) return undefined;
  // `pid (name) state …`: the name can contain spaces and brackets. The start is field 22, the state field 3.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { started: fields[19], isDead: fields[0] === "Z" || fields[0] === "X" };
}

function tryRead(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
