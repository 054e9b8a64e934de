import { cutText, textWidth } from "../values/width.ts";

/** As many of the parts as fit, whole; of the first as much as does. */
export function joinFitting(parts: readonly string[], isUnicode: boolean, width: number): string {
  const [first = "", ...rest] = parts;
  let text = cutText(first, width, "");
  for (const part of rest) {
    const longer = `${text}${isUnicode ? " · " : ", "}${part}`;
    if (textWidth(longer) > width) break;
    text = longer;
  }
  return text;
}
