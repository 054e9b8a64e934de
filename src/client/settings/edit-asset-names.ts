import { usageFailure } from "../../base/failure.ts";
import { nameOf, subjectKey } from "../subject.ts";
import { type AssetNames, type NamedAsset, namesIn, namesPath } from "./asset-names.ts";
import { type Editing, updateSettingsFile } from "./update-settings-file.ts";

/** Half of what is read, so that a file that was written can always be read. */
const maxBytes = 512 * 1024;

/** Returns whether the name is new or has another asset now. An existing name is replaced only if `isForced`. */
export async function addAssetName(
  context: Editing,
  service: string,
  name: string,
  asset: NamedAsset,
  isForced: boolean,
): Promise<boolean> {
  const key = name.toLowerCase();
  return await edit(context, service, (names) => {
    const before = names.get(key);
    if (before !== undefined && subjectKey(before) === subjectKey(asset)) return undefined;
    if (before !== undefined && !isForced)
      throw usageFailure(
        `"${key}" is already the name of ${nameOf(before)}`,
        "choose another name, or replace it with --force",
      );
    return new Map(names).set(key, asset);
  });
}

/** Returns whether the name existed. */
export async function removeAssetName(context: Editing, service: string, name: string): Promise<boolean> {
  return await edit(context, service, (names) => {
    const rest = new Map(names);
    return rest.delete(name.toLowerCase()) ? rest : undefined;
  });
}

/** `change` returns undefined if nothing changes. The names of other services are preserved. */
async function edit(
  context: Editing,
  service: string,
  change: (names: AssetNames) => AssetNames | undefined,
): Promise<boolean> {
  const file = namesPath(context);
  return await updateSettingsFile(context, file, (current) => {
    const names = change(namesIn(current, service));
    if (names === undefined) return { after: undefined, result: false };
    const others = current.state === "read" ? current.object : {};
    const after = { ...others, [service]: Object.fromEntries(names) };
    if (JSON.stringify(after).length > maxBytes)
      throw usageFailure(`${file} would be larger than ${maxBytes / 1024} KiB`, "remove some names");
    return { after, result: true };
  });
}
