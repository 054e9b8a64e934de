import path from "node:path";
import type { Context } from "../context/context.ts";
import { findFolders } from "./folders.ts";
import { type JsonFile, readJsonFile } from "../files/read-json-file.ts";

/** config.json as it stands; whether a value is accepted is the setting's part. */
export interface ConfigFile {
  readonly path: string;
  /** By name, as text: a number or boolean written by hand is read as its text. */
  readonly values: ReadonlyMap<string, string>;
  /** What is wrong with the file as a whole; then no value was read. */
  readonly problem: string | undefined;
}

export function configPath(context: Pick<Context, "env" | "platform">): string {
  return path.join(findFolders(context).config, "config.json");
}

export function readConfigFile(context: Pick<Context, "env" | "platform">): ConfigFile {
  const file = configPath(context);
  return toConfigFile(file, readJsonFile(file));
}

function toConfigFile(file: string, content: JsonFile): ConfigFile {
  switch (content.state) {
    case "absent":
      return { path: file, values: new Map(), problem: undefined };
    case "broken":
      return { path: file, values: new Map(), problem: content.problem };
    case "read": {
      const values = new Map<string, string>();
      for (const [name, value] of Object.entries(content.object)) {
        // What is neither text, number nor boolean becomes JSON text, which no setting accepts.
        values.set(name, typeof value === "string" ? value : JSON.stringify(value));
      }
      return { path: file, values, problem: undefined };
    }
  }
}
