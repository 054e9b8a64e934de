/** The build sets this from package.json. It is absent in tests, which run the source files. */
declare const DEXDATA_VERSION: string | undefined;

export const version = typeof DEXDATA_VERSION === "undefined" ? "0.0.0-unbuilt" : DEXDATA_VERSION;

/** Specification, Versioning. */
const apiVersion = "1.0.4";

export const versionLine = `dexdata ${version} (API ${apiVersion})`;
