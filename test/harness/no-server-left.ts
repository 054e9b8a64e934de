/** How long a server that is being closed may still count, in milliseconds. */
const patience = 2000;

/**
 * Call this after each test file. Files share processes, so a server that one of them leaves open could disturb those
 * after it.
 */
export async function failWhenListening(): Promise<void> {
  const deadline = performance.now() + patience;
  for (let left = listening(); left > 0; left = listening()) {
    if (performance.now() > deadline) throw new Error(`this file has left ${left} servers open`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

function listening(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
}
