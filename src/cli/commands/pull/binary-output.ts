import { usageFailure } from "../../../base/failure.ts";
import { unpackedName } from "../../../rows/out-files/packing.ts";
import { formats } from "../../render/formats/formats.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import type { RunOptions } from "../../run/run-options.ts";

/** Rejects flags for text. `isTerminal` applies to stdout, if the rows are printed there. */
export function checkBinaryOutput(options: RunOptions, flags: SharedValues, isTerminal: boolean): void {
  const { format, packing } = options;
  if (formats[format].binary === undefined) return;
  const label = formatLabel(flags);
  if (flags["no-header"] === true)
    throw usageFailure(
      `--no-header cannot be used with ${label}: ${format} has no header row`,
      "remove --no-header",
    );
  if (packing !== undefined)
    throw usageFailure(
      `--out "${flags.out}": ${format} files are already compressed`,
      `remove the last extension: --out ${unpackedName(flags.out ?? "")}`,
    );
  if (flags.out === undefined && isTerminal)
    throw usageFailure(
      `${label} cannot be printed to a terminal`,
      `write it to a file: --out rows.${format}`,
    );
}

/** What the user typed to select the format. */
export function formatLabel({ output, out }: SharedValues): string {
  return output === undefined ? `--out "${out}"` : `--output ${output}`;
}
