import { readFileSync, readlinkSync } from "node:fs";
import { getPriority, hostname, uptime } from "node:os";
import { pid, platform } from "node:process";
import { isObject } from "./read-json-file.ts";

/** The process that holds a lock, in the words that let other processes check whether it still runs. */
export interface Holder {
  readonly host: string;
  /** Linux: changes each time the machine starts. Elsewhere undefined. */
  readonly boot: string | undefined;
  /** Where `pid` means this process: the PID namespace of Linux, elsewhere the platform; undefined if unknown. */
  readonly namespace: string | undefined;
  readonly pid: number;
  /** Linux: clock ticks from the start of the machine to that of the process. Elsewhere undefined. */
  readonly started: string | undefined;
}

/** `unknown`: another container or host, or a process that this one cannot look at. */
export type HolderState = "running" | "gone" | "unknown";

let own: Holder | undefined;
let count = 0;

/** This process. Nothing of it changes while it runs, so the system is asked once. */
function ownHolder(): Holder {
  own ??= { host: readHost(), ...readPlace(), pid };
  return own;
}

/** To load `node:os` takes longer than all else here, and every run that asks the service takes a lock. */
function readHost(): string {
  return tryRead(() => readFileSync("/proc/sys/kernel/hostname", "utf8").trim()) ?? hostname();
}

export interface LockToken {
  /** Sets one lock apart from all others, also from those of the same process. */
  readonly id: string;
  /** One line, always of the same length. `now`: milliseconds since the epoch, for people who read the file. */
  readonly text: (now: number) => string;
}

export function createToken(random: () => number): LockToken {
  count += 1;
  const id = `${Math.floor(random() * 2 ** 48).toString(16)}-${count}`;
  return {
    id,
    text: (now) => `${JSON.stringify({ ...ownHolder(), at: new Date(now).toISOString(), id })}\n`,
  };
}

/** Whether the text is a token, or the beginning of one. Any other text in a lock's place is a file of another program. */
export function isToken(text: string): boolean {
  const begin = '{"host":';
  return begin.startsWith(text.slice(0, begin.length));
}

/** Undefined where the text is not one of `createToken`, complete. */
export function readToken(text: string): (Holder & { readonly id: string }) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const members = value;
  const word = (name: string): string | undefined => {
    const found = members[name];
    return typeof found === "string" ? found : undefined;
  };
  const [host, id, holder] = [word("host"), word("id"), members["pid"]];
  if (host === undefined || id === undefined || typeof holder !== "number" || !(holder > 0)) return undefined;
  return {
    host,
    boot: word("boot"),
    namespace: word("namespace"),
    pid: holder,
    started: word("started"),
    id,
  };
}

/**
 * Whether the process that wrote a token still runs. `age`: milliseconds since the lock was last written, by the clock of
 * its file system.
 */
export function stateOf(holder: Holder, age: () => number): HolderState {
  const self = ownHolder();
  if (holder.host !== self.host) return "unknown";
  if (holder.boot !== self.boot) {
    // Two machines can have one name. A lock written since this machine started is not from before that start.
    return holder.boot !== undefined && self.boot !== undefined && age() > uptime() * 1000
      ? "gone"
      : "unknown";
  }
  if (self.namespace === undefined || holder.namespace !== self.namespace) return "unknown";
  if (!hasProcess(holder.pid)) return "gone";
  const process = readProcess(String(holder.pid));
  // It may have ended between the two looks.
  if (process === undefined) return hasProcess(holder.pid) ? "unknown" : "gone";
  if (holder.started === undefined) return "unknown";
  return process.started === holder.started && !process.isDead ? "running" : "gone";
}

/** For messages: `process 123`, and where that is not here. */
export function describeHolder(holder: Holder | undefined): string {
  if (holder === undefined) return "another process";
  const self = ownHolder();
  const process = `process ${holder.pid}`;
  // Two machines may have one name.
  if (holder.host !== self.host || holder.boot !== self.boot) return `${process} on host ${holder.host}`;
  return holder.namespace === self.namespace ? process : `${process} in another container`;
}

function readPlace(): Pick<Holder, "boot" | "namespace" | "started"> {
  // macOS and Windows have no PID namespaces, and do not show when a process started without another program.
  if (platform !== "linux") return { boot: undefined, namespace: platform, started: undefined };
  const boot = tryRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const namespace = tryRead(() => readlinkSync("/proc/self/ns/pid"));
  // A /proc of another namespace has this process under another number, and other processes under its numbers.
  const isOwn = tryRead(() => readlinkSync("/proc/self")) === String(pid);
  return { boot, namespace: isOwn ? namespace : undefined, started: readProcess("self")?.started };
}

/** A process of another user counts, and so does a zombie. */
function hasProcess(id: number): boolean {
  try {
    getPriority(id);
    return true;
  } catch (error) {
    // A SystemError carries the errno's name in `info` and in its message.
    return !(error instanceof Error && error.message.includes("ESRCH"));
  }
}

/** Undefined without /proc, and where it hides the processes of other users. */
function readProcess(
  id: string,
): { readonly started: string | undefined; readonly isDead: boolean } | undefined {
  const text = tryRead(() => readFileSync(`/proc/${id}/stat`, "latin1"));
  if (text === undefined) return undefined;
  // `pid (name) state …`: the name may hold spaces and brackets. The start is field 22, the state field 3.
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
