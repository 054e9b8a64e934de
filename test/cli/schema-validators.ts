import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** Also used to check the settings file: an independent implementation of JSON Schema. */
export const addFormats = (ajv: Ajv2020): Ajv2020 => formats.default(ajv);
export { Ajv2020 };
