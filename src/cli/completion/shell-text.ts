/** The text of a script as it stands, but `@{` for `${`, which TypeScript would take for its own. */
export function shellText({ raw }: TemplateStringsArray): string {
  return raw.join("").replaceAll("@{", "${");
}
