/** Set by `npm run test:long`: bars in full length, which `npm test` shows in a short form. */
export const isLong = process.env["DEXDATA_TEST_LONG"] === "1";
