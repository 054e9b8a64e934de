#!/usr/bin/env node
// node ship.mjs [--once] STATE 'FILES' command…: passes each line of growing files to a command, at least once.
// FILES is a name or a pattern with *, which should include rotated files. Compressed files are ignored: ship them before.
// The command reads complete lines from stdin, usually up to 1 MiB. Its exit code decides what happens next:
//   0   All lines were stored, and the next lines follow.
//   65  The engine rejects a line. The batch is split until this line is alone, and the line goes to STATE.refused.
//   *   The engine may be down. The same lines are sent again after 0.25 to 15 seconds.
// STATE stores the inode and offset of each file, and a hash of the last line before the offset. If that line has changed,
// the file was truncated or replaced, and it is read from its start. After a kill, the last batch is sent again, so the
// engine must drop rows whose id and log_index it already has. Files are synced to disk before their lines are shipped.
// --once exits with 0 when all lines are delivered. On Linux and Windows, only one process at a time can use STATE.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const [REFUSED, BATCH_BYTES, COMMAND_MS] = [65, 1024 * 1024, 300_000];
const isWindows = process.platform === "win32";
const isOnce = process.argv[2] === "--once";
const [state = "", files = "", ...command] = process.argv.slice(isOnce ? 3 : 2);
if (command.length === 0) end(2, "usage: ship.mjs [--once] STATE 'FILES' command…");
const [folder, pattern] = [path.dirname(files), path.basename(files)];
const literals = pattern.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
const isNamed = new RegExp(`^(?!.*\\.(?:lock|part|resume|gz|zst)$)${literals.join(".*")}$`);
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
const absent = (instead) => (problem) => (problem.code === "ENOENT" ? instead : Promise.reject(problem));
const stopping = new AbortController();
const { signal } = stopping;
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stopping.abort());
await lock();
/** For each inode `{ at, length, hash }`: the offset after the last shipped line, and the length and hash of that line. */
const places = new Map(Object.entries(JSON.parse(await fs.readFile(state, "utf8").catch(absent("{}")))));
for (let pause = 0; !signal.aborted; await wait(pause, undefined, { signal }).catch(() => {})) {
  try {
    let shipped = 0;
    for (const file of await listFiles()) shipped += await shipFile(file);
    pause = shipped > 0 ? 0 : 250;
    if (isOnce && shipped === 0) break;
  } catch (problem) {
    if (isOnce) end(1, problem.message);
    console.error(`ship.mjs: ${problem.message}`);
    pause = Math.min(15_000, Math.max(250, pause * 2));
  }
}
await save();
if (isOnce && signal.aborted) end(1, "stopped before all lines were delivered");

/** Returns the files that match, and shipped files that were renamed since, ordered by the time of their last change. */
async function listFiles() {
  const [found, inodes] = [[], new Set()];
  for (const name of await fs.readdir(folder)) {
    const file = path.resolve(folder, name);
    const facts = await fs.stat(file, { bigint: true }).catch(absent());
    if (facts?.isFile() !== true || file.startsWith(path.resolve(state))) continue;
    inodes.add(String(facts.ino));
    if (isNamed.test(name) || places.has(String(facts.ino))) found.push({ file, changed: facts.mtimeNs });
  }
  for (const inode of places.keys()) if (!inodes.has(inode)) places.delete(inode);
  return found.toSorted((a, b) => (a.changed < b.changed ? -1 : 1)).map(({ file }) => file);
}

async function shipFile(file) {
  const handle = await fs.open(file).catch(absent());
  if (handle === undefined) return 0;
  try {
    const { ino, size } = await handle.stat({ bigint: true });
    let at = await findPlace(handle, places.get(String(ino)), Number(size));
    if (!isWindows && at < size) await handle.sync();
    const lines = await readLines(handle, at, Number(size));
    for (let done = 0, count = lines.length; done < lines.length && !signal.aborted;) {
      const batch = lines.slice(done, done + count);
      const exit = await run(batch);
      if (exit === REFUSED && (count = batch.length >> 1) > 0) continue;
      if (exit === REFUSED) await moveAside(batch[0]);
      else if (exit !== 0)
        throw new Error(`the command ended with ${exit}; ${batch.length} lines are sent again`);
      done += batch.length;
      count = 2 * count || 1;
      const last = batch.at(-1);
      for (const line of batch) at += line.length;
      places.set(String(ino), { at, length: last.length, hash: hash(last) });
      await save();
    }
    return lines.length;
  } finally {
    await handle.close();
  }
}

/** Returns 0 if another file now has this inode, or if the file was truncated and has grown again. */
async function findPlace(handle, { at = 0, length = 0, hash: known } = {}, size) {
  if (at === 0 || at > size) return 0;
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, at - length);
  return hash(buffer) === known ? at : 0;
}

/** Returns complete lines only, because the end of the last one may not have been written yet. */
async function readLines(handle, at, size) {
  for (let room = BATCH_BYTES; ; room *= 2) {
    const wanted = Math.min(room, size - at);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, at);
    const [lines, read] = [[], buffer.subarray(0, bytesRead)];
    for (let from = 0, to; (to = read.indexOf("\n", from) + 1) > 0; from = to)
      lines.push(read.subarray(from, to));
    if (lines.length > 0 || room >= size - at) return lines;
  }
}

/** Passes the batch as a file. If this process is killed, a pipe would end in the middle of a line. */
async function run(lines) {
  await fs.writeFile(`${state}.batch`, Buffer.concat(lines));
  const batch = await fs.open(`${state}.batch`);
  // Once its name is removed, the next batch cannot overwrite the file while the command of a killed process still reads it.
  await fs.unlink(`${state}.batch`);
  const stdio = [batch.fd, "inherit", "inherit"];
  const child = spawn(command[0], command.slice(1), { stdio, timeout: COMMAND_MS, killSignal: "SIGKILL" });
  const [code, by] = await once(child, "close")
    .catch(({ message }) => [message])
    .finally(() => batch.close());
  return code ?? by;
}

async function save() {
  await fs.writeFile(`${state}.new`, JSON.stringify(Object.fromEntries(places)), { flush: true });
  await fs.rename(`${state}.new`, state);
}

async function moveAside(line) {
  const { size = 0 } = (await fs.stat(`${state}.refused`).catch(absent())) ?? {};
  await fs.appendFile(`${state}.refused`, line, { flush: true }).catch(async (problem) => {
    await fs.truncate(`${state}.refused`, size).catch(() => {});
    throw problem;
  });
}

/** The operating system releases the name when the process ends, even after a kill. */
async function lock() {
  const name = `dexdata-ship-${hash(path.resolve(state))}`;
  const server = net.createServer().listen(isWindows ? `\\\\.\\pipe\\${name}` : `\0${name}`);
  await once(server, "listening").catch(({ code }) => end(7, `${state} is in use (${code})`));
  server.unref();
}

function end(exit, problem) {
  console.error(`ship.mjs: ${problem}`);
  process.exit(exit);
}
