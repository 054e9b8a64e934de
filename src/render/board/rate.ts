/** How many there were in the last minute. */
export interface Rate {
  readonly count: (elapsed: number) => void;
  readonly lastMinute: (elapsed: number) => number;
}

const seconds = 60;

/** One counter a second, each told apart from the same one a minute ago by the second it stands for. */
export function createRate(): Rate {
  const counts = new Float64Array(seconds);
  const stands = new Float64Array(seconds).fill(-1);
  return {
    count: (elapsed) => {
      const second = Math.floor(elapsed / 1000);
      const slot = second % seconds;
      if (stands[slot] !== second) {
        stands[slot] = second;
        counts[slot] = 0;
      }
      counts[slot] = (counts[slot] ?? 0) + 1;
    },
    lastMinute: (elapsed) => {
      const first = Math.floor(elapsed / 1000) - seconds + 1;
      return counts.reduce((sum, count, slot) => sum + ((stands[slot] ?? -1) >= first ? count : 0), 0);
    },
  };
}
