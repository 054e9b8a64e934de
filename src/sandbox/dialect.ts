/** The forms the sandbox speaks: the specification's, or the public service's where the two differ. */
export type Dialect = "spec" | "public";
