import { Failure } from "../../base/failure.ts";
import type { Budget } from "./credit-budget.ts";

/** A run's account of stream events, which the service charges as it delivers them. */
export type EventLedger = Readonly<ReturnType<typeof createEventLedger>>;

/**
 * A stream cannot reserve credits, because the service decides how many events it sends. Therefore, a stream is opened
 * only while a credit is left, and everything that arrives is recorded. `count` adds events to the run's meter.
 */
export function createEventLedger(budget: Pick<Budget, "check" | "record">, count: (events: number) => void) {
  let unrecorded = 0;
  let recording: Promise<void> = Promise.resolve();
  let spent: Failure | undefined;

  /** Events that arrive while earlier ones are being recorded are recorded together. */
  const record = async (): Promise<void> => {
    const events = unrecorded;
    unrecorded = 0;
    if (events === 0) return;
    try {
      await budget.record(events);
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      spent ??= cause;
    }
  };

  /** Returns the failure that ends the streams: no credit is left, or the credits could not be recorded. */
  const recorded = async (): Promise<Failure | undefined> => {
    await recording;
    return spent;
  };

  return {
    recorded,
    /** Throws a Failure if no stream may be opened. */
    check: async (): Promise<void> => {
      const failure = await recorded();
      if (failure !== undefined) throw failure;
      await budget.check();
    },
    /** Recording starts at once, so that little is lost if the process is killed. `recorded` returns the result. */
    delivered: (events: number): void => {
      count(events);
      unrecorded += events;
      recording = recording.then(record);
      recording.catch(() => undefined);
    },
  };
}
