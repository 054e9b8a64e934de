import type { Column, RowShape } from "../endpoint.ts";

/**
 * The rows of a search on all networks. Without its network an address leads nowhere, so the network stays longer
 * there than where it was typed, and the address not as long. `priorities`: by field, between those of the others.
 */
export function acrossNetworks(rows: RowShape, priorities: { readonly [field: string]: number }): RowShape {
  const moved = (column: Column): Column => ({
    ...column,
    priority: priorities[String(column.field)] ?? column.priority,
  });
  return { ...rows, columns: rows.columns.map(moved) };
}
