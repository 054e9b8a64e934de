/** Milliseconds of processor time since `before`: unlike the wall clock's, none of another process's. */
export function processorTime(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
