/** What to do where a write failed with this code of the system; undefined where it is not the room that lacks. */
export function diskAdvice(code: unknown): string | undefined {
  if (code === "ENOSPC" || code === "EDQUOT") return "the disk is full: make room, or write elsewhere";
  if (code === "EFBIG")
    return "the file is as large as it may be here (ulimit -f): allow more, or write elsewhere";
  return undefined;
}
