/** The file is not a Parquet file that dexdata has written, or its bytes have changed since. */
export class UnreadableParquet extends Error {}
