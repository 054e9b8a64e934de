/** UTF-8 of bytes that are mostly the same as the time before: names of events. */
export function createRepeatedText(): (bytes: Buffer) => string {
  let known = Buffer.alloc(0);
  let text = "";
  return (bytes) => {
    if (!bytes.equals(known)) {
      known = Buffer.from(bytes);
      text = bytes.toString("utf8");
    }
    return text;
  };
}
