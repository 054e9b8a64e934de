#!/usr/bin/env node
// node ship.mjs [--once] STATE 'FILES' command…: passes each line of growing files to a command, at least once.
// FILES is a name or a pattern with *, which should include rotated files. Compressed files are ignored.
// The command reads complete lines from stdin, usually up to 1 MiB. Its exit code decides what happens next:
//   0   All lines were stored, and the next lines follow.
//   65  The engine rejects a line. The batch is split until this line is alone, and the line goes to STATE.refused.
//   *   The engine may be down. The same lines are sent again after 0.25 to 15 seconds.
// STATE stores the device, inode and offset of each file, with hashes of its first and last block before the offset. If one
// has changed, the file was truncated or replaced, and it is read from its start. After a kill, the last batch is sent
// again, so the engine must drop rows whose id and log_index it already has. Files are synced to disk before shipping.
// A file that cannot be read, or with a line of more than 64 MiB, is reported, and the others continue.
// --once exits with 0 when all lines are delivered. On Linux and Windows, only one process at a time can use STATE.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const [REFUSED, BATCH_BYTES, LINE_BYTES, BLOCK, COMMAND_MS] = [65, 2 ** 20, 2 ** 26, 4096, 300_000];
const isWindows = process.platform === "win32";
const isOnce = process.argv[2] === "--once";
const [given = "", files = "", ...command] = process.argv.slice(isOnce ? 3 : 2);
if (command.length === 0) end(2, "usage: ship.mjs [--once] STATE 'FILES' command…");
const literals = path
  .basename(files)
  .split("*")
  .map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
const isNamed = new RegExp(`^(?!.*\\.(?:lock|lock\\.break|new|part|resume|gz|zst)$)${literals.join(".*")}$`);
const absent = (instead) => (problem) => (problem.code === "ENOENT" ? instead : Promise.reject(problem));
const folder = await fs.realpath(path.dirname(files)).catch(absent(path.dirname(files)));
/** A link is resolved, so that no other process locks the same state under another name. */
const state = await fs.realpath(given).catch(async () => {
  const parent = path.resolve(path.dirname(given));
  return path.join(await fs.realpath(parent).catch(absent(parent)), path.basename(given));
});
const own = new Set(["", ".batch", ".new", ".refused"].map((ending) => `${state}${ending}`));
const idOf = ({ dev, ino }) => `${dev}:${ino}`;
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
const stopping = new AbortController();
const { signal } = stopping;
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stopping.abort());
await lock();
/** For each `device:inode`: the offset after the last shipped line, and the hashes of the first and last block before it. */
const places = await readState();
let told = new Set([""]);
for (let pause = 0; !signal.aborted; await wait(pause, undefined, { signal }).catch(() => {})) {
  let [shipped, problems] = [0, [""].slice(1)];
  try {
    for (const file of await listFiles())
      shipped += await shipFile(file).catch((problem) => {
        if (problem.isOfCommand) throw problem;
        problems.push(problem.message.includes(file) ? problem.message : `${file}: ${problem.message}`);
        return 0;
      });
    pause = shipped > 0 ? 0 : 250;
  } catch ({ message }) {
    problems = [message];
    pause = Math.min(15_000, Math.max(250, pause * 2));
  }
  if (isOnce && problems.length > 0 && shipped === 0) end(1, problems.join("\nship.mjs: "));
  for (const problem of problems) if (!told.has(problem)) console.error(`ship.mjs: ${problem}`);
  told = new Set(problems);
  if (isOnce && shipped === 0) break;
}
await save();
if (isOnce && signal.aborted) end(1, "stopped before all lines were delivered");

/** Returns the files that match, and shipped files that were renamed since, ordered by the time of their last change. */
async function listFiles() {
  const [found, present] = [[], new Set()];
  for (const name of await fs.readdir(folder)) {
    const file = path.resolve(folder, name);
    // What cannot be looked at cannot be opened either, which is reported for this file.
    const facts = await fs.stat(file, { bigint: true }).catch(({ code }) => code);
    if (typeof facts === "string" && facts !== "ENOENT" && isNamed.test(name))
      found.push({ file, changed: 0n });
    if (facts?.isFile?.() !== true || own.has(file)) continue;
    present.add(idOf(facts)).add(String(facts.ino));
    if (isNamed.test(name) || places.has(idOf(facts))) found.push({ file, changed: facts.mtimeNs });
  }
  for (const id of places.keys()) if (!present.has(id)) places.delete(id);
  return found.toSorted((a, b) => (a.changed < b.changed ? -1 : 1)).map(({ file }) => file);
}

async function shipFile(file) {
  const handle = await fs.open(file).catch(absent());
  if (handle === undefined) return 0;
  try {
    const facts = await handle.stat({ bigint: true });
    const size = Number(facts.size);
    let at = await findPlace(handle, places.get(idOf(facts)) ?? places.get(String(facts.ino)), size);
    if (!isWindows && at < size) await handle.sync();
    const lines = await readLines(handle, at, size);
    for (let done = 0, count = lines.length; done < lines.length && !signal.aborted;) {
      const batch = lines.slice(done, done + count);
      const exit = await run(batch);
      if (exit === REFUSED && (count = batch.length >> 1) > 0) continue;
      if (exit === REFUSED) await moveAside(batch[0]);
      else if (exit !== 0)
        throw Object.assign(
          new Error(`the command ended with ${exit}; ${batch.length} lines are sent again`),
          {
            isOfCommand: true,
          },
        );
      done += batch.length;
      count = 2 * count || 1;
      for (const line of batch) at += line.length;
      const length = Math.min(at, BLOCK);
      places.set(idOf(facts), {
        at,
        length,
        hash: await hashAt(handle, at - length, length),
        first: await hashAt(handle, 0, length),
      });
      await save();
    }
    return lines.length;
  } finally {
    await handle.close();
  }
}

async function hashAt(handle, from, length) {
  return hash((await handle.read(Buffer.alloc(length), 0, length, from)).buffer);
}

/** Returns 0 if another file now has this inode, or if the file was truncated and has grown again. */
async function findPlace(handle, { at = 0, length = 0, hash: last, first } = {}, size) {
  if (at === 0 || at > size) return 0;
  // A state of an earlier version has no hash of the first block.
  const isSame = first === undefined || (await hashAt(handle, 0, length)) === first;
  return isSame && (await hashAt(handle, at - length, length)) === last ? at : 0;
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
    if (room >= LINE_BYTES) throw new Error(`the line at byte ${at} has more than 64 MiB`);
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

async function readState() {
  const text = await fs.readFile(state, "utf8").catch(absent("{}"));
  try {
    return new Map(Object.entries(JSON.parse(text)));
  } catch {
    return end(2, `${state} is damaged; remove it, and all lines are sent again`);
  }
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
  const name = `dexdata-ship-${hash(state)}`;
  const server = net.createServer().listen(isWindows ? `\\\\.\\pipe\\${name}` : `\0${name}`);
  await once(server, "listening").catch(({ code }) => end(7, `${state} is in use (${code})`));
  server.unref();
}

function end(exit, problem) {
  console.error(`ship.mjs: ${problem}`);
  process.exit(exit);
}
