/** Set by the build from package.json; absent where the source runs unbuilt, in tests. */
declare const DEXDATA_VERSION: string | undefined;

export const version = typeof DEXDATA_VERSION === "undefined" ? "0.0.0-unbuilt" : DEXDATA_VERSION;

/** The interface of the service this program speaks (specification, Versioning). */
const interfaceVersion = "1.0.4";

export const versionLine = `dexdata ${version} (interface ${interfaceVersion})`;
