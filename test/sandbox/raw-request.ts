import net from "node:net";

/** The raw result of one request on its own connection, as a client without HTTP support sees it. */
export interface RawReply {
  readonly text: string;
  /** Lines of the head, without the last empty one; undefined if the head never ended. */
  readonly head: readonly string[] | undefined;
  readonly body: string;
  readonly ended: "closed" | "reset" | "left";
  readonly milliseconds: number;
  /** The number of reads in which the response arrived. */
  readonly pieces: number;
}

/** Sends the request and reads until the connection ends, for up to `patience` milliseconds. */
export async function rawRequest(
  base: string,
  path: string,
  {
    key,
    method = "GET",
    patience = 5000,
  }: { readonly key?: string; readonly method?: string; readonly patience?: number } = {},
): Promise<RawReply> {
  const { hostname, port } = new URL(base);
  const started = performance.now();
  const authorization = key === undefined ? "" : `Authorization: ${key}\r\n`;
  return await new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isReset = false;
    let hasLeft = false;
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\n${authorization}\r\n`,
      );
    });
    const timer = setTimeout(() => {
      hasLeft = true;
      socket.destroy();
    }, patience);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => (isReset = true));
    socket.on("close", () => {
      clearTimeout(timer);
      const text = Buffer.concat(chunks).toString("utf8");
      const end = text.indexOf("\r\n\r\n");
      resolve({
        text,
        head: end === -1 ? undefined : text.slice(0, end).split("\r\n"),
        body: end === -1 ? "" : text.slice(end + 4),
        ended: isReset ? "reset" : hasLeft ? "left" : "closed",
        milliseconds: performance.now() - started,
        pieces: chunks.length,
      });
    });
  });
}

export function statusOf({ head }: RawReply): number | undefined {
  return head === undefined ? undefined : Number(head[0]?.split(" ")[1]);
}

/** The value of a header, in any letter case. */
export function headerOf({ head }: RawReply, name: string): string | undefined {
  const line = head?.find((each) => each.toLowerCase().startsWith(`${name.toLowerCase()}: `));
  return line?.slice(name.length + 2);
}
