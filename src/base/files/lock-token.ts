import { readFileSync, readlinkSync } from "node:fs";
import { getPriority, hostname, uptime } from "node:os";
import { orUndefined } from "../failure.ts";
import type { Context } from "../context/context.ts";
import { isObject, parseJson } from "../json/json-scan.ts";

/** Identifies the process that holds a lock, so that other processes can check whether it is still running. */
export interface Holder {
  readonly host: string;
  /** Changes each time the machine starts. Undefined except on Linux. */
  readonly boot: string | undefined;
  /** The scope in which `pid` is unique: the PID namespace on Linux, the platform elsewhere. Undefined if unknown. */
  readonly namespace: string | undefined;
  readonly pid: number;
  /** In clock ticks since the machine started. Undefined except on Linux. */
  readonly started: string | undefined;
}

/** `unknown` means that the process is in another container, on another host, or cannot be inspected. */
export type HolderState = "running" | "gone" | "unknown";

/** Properties of this process that cannot be read from a file. */
type Self = Pick<Context, "pid" | "platform">;

let own: Holder | undefined;
let count = 0;

/** The holder never changes, so the system is queried only once. */
function ownHolder(self: Self): Holder {
  own ??= { host: readHost(), ...readPlace(self), pid: self.pid };
  return own;
}

/** Loading `node:os` takes longer than everything else in this module, and every run with a request takes a lock. */
function readHost(): string {
  return orUndefined(() => readFileSync("/proc/sys/kernel/hostname", "utf8").trim()) ?? hostname();
}

/**
 * Each token is unique among all locks, including the same process's other locks. `token` writes it as one line of
 * constant length. `now`, in milliseconds since the epoch, is only for human readers.
 */
export function createToken(context: Self & Pick<Context, "random">) {
  count += 1;
  const id = `${Math.floor(context.random() * 2 ** 48).toString(16)}-${count}`;
  const token = (now: number): string =>
    `${JSON.stringify({ ...ownHolder(context), at: new Date(now).toISOString(), id })}\n`;
  return { id, token };
}

/** Whether the text is a token or the start of one. Any other text means that the file belongs to another program. */
export function isToken(text: string): boolean {
  const begin = '{"host":';
  return begin.startsWith(text.slice(0, begin.length));
}

/** Undefined unless the text is a complete token. */
export function readToken(text: string): Holder | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { host, id, pid, boot, namespace, started } = value;
  if (typeof host !== "string" || typeof id !== "string") return undefined;
  if (typeof pid !== "number" || !(pid > 0)) return undefined;
  return { host, boot: textOf(boot), namespace: textOf(namespace), pid, started: textOf(started) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** `age` returns the milliseconds since the lock was written, according to its file system's clock. */
export function stateOf(context: Self, holder: Holder, age: () => number): HolderState {
  const self = ownHolder(context);
  if (holder.host !== self.host) return "unknown";
  if (holder.boot !== self.boot) {
    // Machines can share a name, so a different boot ID alone proves nothing. Only a lock that was last written before
    // this machine started is known to be from an earlier boot.
    return holder.boot !== undefined && self.boot !== undefined && age() > uptime() * 1000
      ? "gone"
      : "unknown";
  }
  if (self.namespace === undefined || holder.namespace !== self.namespace) return "unknown";
  if (!hasProcess(holder.pid)) return "gone";
  const process = readProcess(String(holder.pid));
  // The process may have ended between the two checks.
  if (process === undefined) return hasProcess(holder.pid) ? "unknown" : "gone";
  if (holder.started === undefined) return "unknown";
  return process.started === holder.started && !process.isDead ? "running" : "gone";
}

/** Such as `process 123`, with its host or container if that is a different one. */
export function describeHolder(context: Self, holder: Holder | undefined): string {
  if (holder === undefined) return "another process";
  const self = ownHolder(context);
  const process = `process ${holder.pid}`;
  // Two machines can have the same name.
  if (holder.host !== self.host || holder.boot !== self.boot) return `${process} on host ${holder.host}`;
  return holder.namespace === self.namespace ? process : `${process} in another container`;
}

function readPlace({ pid, platform }: Self): Pick<Holder, "boot" | "namespace" | "started"> {
  // macOS and Windows do not have PID namespaces, and only an external program can show a process's start time.
  if (platform !== "linux") return { boot: undefined, namespace: platform, started: undefined };
  const boot = orUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = orUndefined(() => readlinkSync("/proc/self/ns/pid"));
  // If /proc belongs to another namespace, this process has a different ID there.
  const isOwn = orUndefined(() => readlinkSync("/proc/self")) === String(pid);
  return { boot, namespace: isOwn ? namespace : undefined, started: readProcess("self")?.started };
}

/** Other users' processes and zombies count as well. */
function hasProcess(id: number): boolean {
  try {
    getPriority(id);
    return true;
  } catch (error) {
    // The error is a SystemError, which contains the errno's name in `info` and in its message.
    return !(error instanceof Error && error.message.includes("ESRCH"));
  }
}

/** Returns undefined if /proc does not exist or hides other users' processes. */
function readProcess(id: string) {
  const text = orUndefined(() => readFileSync(`/proc/${id}/stat`, "latin1"));
  if (text === undefined) return undefined;
  // The format is `pid (name) state …`, and the name can contain spaces and parentheses. The state is field 3, and the
  // start time is field 22.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { started: fields[19], isDead: fields[0] === "Z" || fields[0] === "X" };
}
