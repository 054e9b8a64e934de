import { Failure } from "../../contract/failure.ts";
import type { Tail } from "../../tail/tail.ts";
import type { Session } from "./stream-session.ts";
import type { SubjectReader } from "./stream-subjects.ts";

/** SIGHUP reads `@file` again; a list that cannot be used leaves everything as it is. */
export function listenForReload(
  { context, report, display, stops }: Session,
  tail: Tail,
  read: SubjectReader | undefined,
): () => void {
  if (read === undefined) return () => undefined;
  const reload = async (): Promise<void> => {
    try {
      const listed = await read(stops.signal);
      stops.signal.throwIfAborted();
      const subjects = tail.reload(listed);
      display.watch?.(subjects);
      report.reloaded(subjects.length);
    } catch (cause) {
      // The run ended while the list was read, e.g. from a pipe without a writer.
      if (stops.signal.aborted) return;
      if (cause instanceof Failure) report.reloadRefused(cause);
      else stops.end(cause);
    }
  };
  return context.onReload(() => {
    void reload();
  });
}

/** Once a minute in `--events`, where something has come. */
export function logCredits({ context, stops, report, wishes }: Session): () => void {
  if (wishes.eventsFile === undefined) return () => undefined;
  const done = new AbortController();
  const tick = async (): Promise<void> => {
    for (let before = 0; ;) {
      await context.clock.sleep(60_000, done.signal);
      const { events, credits } = stops.counts();
      if (credits !== before) report.credits(events, credits);
      before = credits;
    }
  };
  tick().catch(() => undefined);
  return () => done.abort();
}
