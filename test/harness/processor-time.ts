/**
 * Returns the milliseconds of processor time since `before`, or since the start of the process, which do not include
 * other processes, unlike the wall clock.
 */
export function processorTime(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
