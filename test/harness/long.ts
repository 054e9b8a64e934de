/** Set by `npm run test:long`: runs the tests at full length, which `npm test` runs in a short form. */
export const isLong = process.env["DEXDATA_TEST_LONG"] === "1";
