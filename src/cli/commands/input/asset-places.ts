import type { AddressOf } from "../../../api/address-form.ts";
import type { RunInput } from "../../run/run-options.ts";

/** Where a command line has assets. */
export interface AssetPlaces {
  /** The words of the command. */
  readonly command: string;
  /** Undefined if the command takes both. */
  readonly takes: AddressOf | undefined;
  readonly ifOtherKind?: string | undefined;
  /** Which arguments are assets. Only if all of them are, the first one can be the network of the others. */
  readonly words: "all" | "after the first" | "none";
}

export interface NamedInput extends RunInput {
  readonly words: readonly string[];
}
