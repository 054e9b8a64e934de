/** The requests of one account within the last minute, whose length is real time. */
export class RateWindow {
  readonly limit: number;
  readonly #milliseconds: number;
  #times: number[] = [];

  constructor(limit: number, milliseconds: number) {
    this.limit = limit;
    this.#milliseconds = milliseconds;
  }

  /**
   * Takes a place in the window, or says how many milliseconds it is until one is free. A refused request takes
   * none, so that a caller who waits as told is served.
   */
  take(elapsed: number): number {
    const free = this.#times.findIndex((time) => time > elapsed - this.#milliseconds);
    if (free === -1) this.#times = [];
    else if (free > 0) this.#times.splice(0, free);
    const oldest = this.#times[0];
    if (this.#times.length < this.limit || oldest === undefined) {
      this.#times.push(elapsed);
      return 0;
    }
    return oldest + this.#milliseconds - elapsed;
  }
}
