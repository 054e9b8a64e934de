import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { binaryEnv, program } from "../harness/binary.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { stream } from "../tail/keeping.ts";
import { askedFor, logged } from "../tail/stream-run.ts";

const folder = temporaryFolder();
const inFolder = (name: string): string => path.join(folder, name);

/** The reader takes a little, stops, and takes the rest of the pipe once the program has ended. */
const script = `( "$@" >&3 2> "$FOLDER/stderr"; echo $? > "$FOLDER/exit" ) 3>&1 | {
  head -c 5000
  for _ in $(seq 200); do [ -s "$FOLDER/exit" ] && break; sleep 0.1; done
  cat
} > "$FOLDER/out"`;

test.skipIf(process.platform === "win32")(
  "--for with a reader that has stopped: complete lines are events, the rest is reported, exit 8",
  async () => {
    const padding = "x".repeat(300);
    const server = await serveInTest((request) => {
      const [{ address } = { address: "" }] = askedFor(request);
      if (!request.path.startsWith("/sse")) return json({ message: "not found" }, { status: 404 });
      const rows = Array.from({ length: 1000 }, (_, n) => JSON.stringify({ address, n, padding }));
      return stream([rows.map((row) => `event: token_price\ndata: ${row}\nrequest_id: 0\n\n`).join("")]);
    });
    // On three connections, which wait for the reader at the same time.
    const assets = Array.from({ length: 60 }, (_, index) => `base:0x${String(index + 1).padStart(40, "0")}`);
    const words = [
      ["stream", ...assets, "--feed", "prices", "-o", "ndjson", "--for", "1500ms"],
      ["--streaming-url", server.url, "--events", inFolder("events"), "--error-format", "text"],
    ].flat();
    const env = { ...binaryEnv(), FOLDER: folder };
    const shell = spawn("bash", ["-c", script, "sh", process.execPath, program, ...words], { env });
    await once(shell, "close");

    const text = readFileSync(inFolder("out"), "utf8");
    const whole = text.split("\n").length - 1;
    expect(readFileSync(inFolder("exit"), "utf8").trim()).toBe("8");
    expect(whole).toBeGreaterThan(5000 / 400);
    const log = logged(inFolder("events"));
    expect(log.at(-1)).toMatchObject({ event: "credits", events: whole });
    const unwritten = Number(log.find(({ event }) => event === "unwritten")?.["rows"]);
    expect(unwritten).toBeGreaterThan(100);
    expect(readFileSync(inFolder("stderr"), "utf8")).toContain(
      `${unwritten} events may be missing at the end: the program reading the output did not accept them`,
    );
    for (const line of text.split("\n").slice(0, -1)) expect(JSON.parse(line)).toMatchObject({ padding });
  },
  30_000,
);
