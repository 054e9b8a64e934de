import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** The validator that the settings' file is checked with too: an opinion of JSON Schema that is not ours. */
export const addFormats = (ajv: Ajv2020): Ajv2020 => formats.default(ajv);
export { Ajv2020 };
