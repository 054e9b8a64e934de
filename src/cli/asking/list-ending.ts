/** How the name of a kept list ends, whichever host it came from. */
export function listEnding(id: string, network: string | undefined): string {
  return ` ${id} ${network ?? ""}`;
}
