import { usageFailure } from "../../contract/failure.ts";
import { holdsKey, withoutSecrets } from "../../contract/key.ts";

/** A key typed where a name belongs, or piped in, would stand in a URL, which hosts and proxies write down. */
export function refuseKey(text: string, key: string | undefined): void {
  if (!holdsKey(text) && (key === undefined || !text.includes(key))) return;
  throw usageFailure(
    `"${withoutSecrets(text)}": holds a key, which is part of no question`,
    "leave it out; a key is stored with: dexdata auth login",
  );
}
