import type { Paint } from "../painter.ts";
import type { Feed } from "./readings.ts";

export interface BoardOptions {
  readonly feed: Feed;
  /** `network:address`, in the order of their rows. */
  readonly assets: readonly string[];
  readonly isSimulated: boolean;
  readonly isUnicode: boolean;
  readonly paint: Paint;
  /** Milliseconds of the clock that cannot jump. */
  readonly start: number;
}
