import { rowShape } from "../model/endpoint.ts";
import { parseExact } from "../model/exact-json.ts";
import { tableColumns } from "./columns.ts";
import { roomOf } from "./fit-columns.ts";
import { createPaint, type Paint } from "./painter.ts";
import type { Presentation, Renderer } from "./renderer.ts";
import { createTableSection, type TableSection } from "./table-section.ts";

/** Lists as tables, each page as it lands; where several groups are shown, each under its name. */
export async function createListView(presentation: Presentation): Promise<Renderer> {
  const { output, groups } = presentation;
  const paint = await createPaint(presentation.isColored);
  const sections = new Map<string, TableSection>();

  return {
    page: async ({ group, rows }) => {
      if (rows.length === 0 || !groups.includes(group)) return;
      let section = sections.get(group);
      let heading = "";
      if (section === undefined) {
        if (groups.length > 1)
          heading = `${sections.size > 0 ? "\n" : ""}${paint(title(group), "heading")}\n`;
        section = createSection(presentation, group, paint);
        sections.set(group, section);
      }
      await output.write(heading + section.lines(rows.map(parseExact)));
    },
    leftOut: () => [...new Set([...sections.values()].flatMap((section) => section.leftOut()))],
    end: () => Promise.resolve(),
  };
}

function createSection(presentation: Presentation, group: string, paint: Paint): TableSection {
  const { output, endpoint, now, isUnicode, isWide, hasHeader, hasAges = output.isTerminal } = presentation;
  return createTableSection({
    columns: tableColumns(rowShape(endpoint, group), presentation),
    style: { now, hasAges, isUnicode, countsZeros: isUnicode && output.isTerminal, isRoomy: false },
    paint,
    room: isWide === true ? undefined : roomOf(output),
    ...(hasHeader !== undefined && { hasHeader }),
  });
}

function title(group: string): string {
  return group.slice(0, 1).toUpperCase() + group.slice(1);
}
