import { usageFailure } from "../../base/failure.ts";
import { nameOf, subjectKey } from "../../client/subject.ts";
import { type NamedAsset, namesIn, namesPath } from "./asset-names.ts";
import { type Editing, updateSettingsFile } from "./update-settings-file.ts";

/** Half of what is read, so that a file that was written can always be read. */
const maxBytes = 512 * 1024;

/**
 * Names an asset, or removes the name if `asset` is undefined. Returns whether that changed anything. Another asset is
 * replaced only if `isForced`.
 */
export async function setAssetName(
  context: Editing,
  service: string,
  name: string,
  asset: NamedAsset | undefined,
  isForced = false,
): Promise<boolean> {
  const [file, key] = [namesPath(context), name.toLowerCase()];
  return await updateSettingsFile(context, file, (current) => {
    const names = new Map(namesIn(current, service));
    const before = names.get(key);
    const isSame = before === undefined || asset === undefined || subjectKey(before) === subjectKey(asset);
    if (!isSame && !isForced)
      throw usageFailure(
        `"${key}" is already the name of ${nameOf(before)}`,
        "choose another name, or replace it with --force",
      );
    if (asset !== undefined) names.set(key, asset);
    else if (!names.delete(key)) return { after: undefined, result: false };
    const texts = [...names].map(([each, own]) => [each, `${nameOf(own)} ${own.kind ?? ""}`.trim()]);
    const after = { ...(current.state === "read" && current.object), [service]: Object.fromEntries(texts) };
    if (JSON.stringify(after).length > maxBytes)
      throw usageFailure(`${file} would be larger than ${maxBytes / 1024} KiB`, "remove some names");
    return { after, result: true };
  });
}
