import { onlyGroup } from "../../../api/endpoint.ts";
import type { Context } from "../../../base/context/context.ts";
import type { PathNames } from "../../../base/files/file-pattern.ts";
import { member } from "../../../base/json/json-scan.ts";
import type { FollowedRow } from "../../../client/followed-row.ts";
import type { Page } from "../../../client/page.ts";
import { reconnectWait } from "../../../client/retry.ts";
import { textRows } from "../../../client/rows.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { hiddenColumnWarnings, missingFields } from "../../render/formats/missing-fields.ts";
import type { FollowReport } from "./follow-report.ts";
import { type FollowedList, rowNames } from "./followed-lists.ts";
import type { Session } from "./open-session.ts";

/** Rows of a search may be in an envelope. */
const memberOf = ({ value }: FollowedRow, name: string): string =>
  String(member(member(value, "row") ?? value, name));

/** Writes the rows of a list in the given order. Returns false if no more rows are wanted. */
export function createRowOutput(
  session: Session,
  { request, pool }: FollowedList,
  course: FollowReport,
  { clock, random, signal }: Pick<Context, "clock" | "random" | "signal">,
) {
  const { run, idle, renderer, assets, files, isSearch, plan, alerts, see, onLimit, isSilent } = session;
  const { quota, isFirst } = session;
  const ofPool = rowNames(request.args);
  const namesOf = (row: FollowedRow): PathNames => (isSearch ? { network: memberOf(row, "chain") } : ofPool);
  const shown = (rows: Page["rows"]): Page["rows"] =>
    plan.amounts === undefined ? rows : assets.inTokens(rows);

  /** Without the amounts in tokens, alerts would be lost. Only this list waits for them. */
  const learnAmounts = async (page: Page["rows"]): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const failure = await assets.learnAmounts(request, page);
      if (failure === undefined) return;
      const wait = reconnectWait(attempt, failure, random());
      course.readFailed(failure, wait);
      await clock.sleep(wait, signal);
    }
  };

  /**
   * Before the rows are written, because a killed run reads again only those that were not. For the same reason, rows
   * behind the last alert are not written.
   */
  const alert = async (rows: readonly FollowedRow[], page: Page["rows"]): Promise<readonly FollowedRow[]> => {
    if (see === undefined) return rows;
    const texts = assets.inTokens(page).texts();
    const seen = rows.map((row, index) => {
      const subject: Subject = pool ?? { network: memberOf(row, "chain"), address: memberOf(row, "id") };
      const facts = { asset: nameOf(subject), label: subject.label, at: row.at.seconds * 1000 };
      return { ...facts, text: texts[index] ?? row.row };
    });
    return rows.slice(0, await see(seen, clock.elapsed()));
  };

  /** Returns the rows that were wanted, from the first one on. */
  const show = async (rows: readonly FollowedRow[]): Promise<readonly FollowedRow[]> => {
    idle?.pause("rows");
    const page = textRows(rows);
    await assets.learnFor(request, { group: onlyGroup, rows: page });
    const wanted = await alert(rows, page);
    for (const part of isSilent ? [] : (files?.split(wanted, namesOf) ?? [wanted]))
      await renderer.page({ group: onlyGroup, rows: shown(textRows(part)) }, request.args);
    idle?.resume("rows");
    if (alerts?.isOver() === true) onLimit();
    const warnings = [...assets.warnings()];
    // Missing fields are reported at the start, because a run may take days.
    if (isFirst("fields"))
      warnings.push(
        ...missingFields(run.options.fields, request.endpoint, shown(page)),
        ...hiddenColumnWarnings(renderer),
      );
    for (const line of warnings) run.report.warn(line);
    return wanted;
  };

  return async (rows: readonly FollowedRow[]): Promise<boolean> => {
    await learnAmounts(textRows(rows));
    return await quota.inTurn(async () => {
      const { limit = Number.POSITIVE_INFINITY } = quota;
      const wanted = rows.slice(0, limit - quota.count);
      const written = wanted.length === 0 ? [] : await show(wanted);
      course.written(written);
      quota.count += written.length;
      return quota.count < limit && written.length === wanted.length;
    });
  };
}
