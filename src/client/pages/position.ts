/** Where a pull starts or continues, as plain data that can be stored in a file. */
export interface Position {
  /** The flag that requests this position. For `subject`, the value is the number of inputs that are done. */
  readonly flag: "cursor" | "page" | "from" | "subject";
  readonly value: string;
  /** The time to which the pull was frozen, in the API's format. Missing if the request's own limit applies. */
  readonly to?: string | undefined;
  /** The service's total when the pull reached this position. A later total shows whether the list has shifted. */
  readonly items?: number | undefined;
  /** Rows still expected after this position, based on the total at the start. Missing once the list has shifted. */
  readonly due?: number | undefined;
  /** The token in whose list of pools this position is, if several lists could be continued. */
  readonly list?: string | undefined;
  /** The candle before this position, as sent by the service; used to fill gaps. */
  readonly before?: string | undefined;
}
