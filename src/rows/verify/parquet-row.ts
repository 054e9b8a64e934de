import { otherColumn } from "../parquet-format.ts";
import type { StoredColumn } from "../parquet/stored-column.ts";
import type { TextBytes } from "../../base/text/text-hash.ts";
import type { Row } from "./row.ts";

/** A row of a Parquet file, whose columns have the types of the contract. */
export class ParquetRow implements Row {
  line = 0;
  readonly values = undefined;
  #all: readonly StoredColumn[] = [];
  #byName: ReadonlyMap<string, StoredColumn> = new Map();
  #nested: readonly StoredColumn[] = [];

  /** Returns false if the row has JSON, whose type must be checked. */
  moveTo(line: number, columns: readonly StoredColumn[]): boolean {
    this.line = line;
    if (columns !== this.#all) {
      this.#all = columns;
      this.#byName = new Map(columns.map((each) => [each.column.name, each]));
      this.#nested = columns.filter(
        ({ column: { type, name } }) => type === "json" && name !== otherColumn.name,
      );
    }
    return this.#nested.every(({ isNull }) => isNull);
  }

  text(name: string): string | undefined {
    return this.#byName.get(name)?.text();
  }

  find(name: string): TextBytes | undefined {
    return this.#byName.get(name)?.find();
  }
}
