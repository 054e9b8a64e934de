import { findFolders } from "../../../settings/folders.ts";
import { settings } from "../../../settings/settings.ts";
import type { Block } from "../page.ts";
import type { Surroundings } from "./topics.ts";

export function environmentTopic(surroundings: Surroundings): readonly Block[] {
  const folders = findFolders(surroundings);
  return [
    {
      prose:
        "A flag goes before a variable, a variable before the config file, that before the default. An empty variable " +
        "counts as unset. dexdata config list shows every setting in force and where it comes from.",
    },
    {
      heading: "Settings",
      rows: Object.values(settings)
        .filter(({ fileOnly }) => !fileOnly)
        .map(({ variable, help, fallbackText }) => [variable, `${help} (default: ${fallbackText})`]),
    },
    {
      heading: "Key and sandbox",
      rows: [
        [
          "DEXDATA_API_KEY",
          "the key, unless a flag names one; its tier by DEXDATA_TIER or one dexdata auth status",
        ],
        ["DEXDATA_SANDBOX", "1: every command asks the built-in sandbox, as with --sandbox"],
        ["DEXDATA_NOW", "the instant that --now is, for time bounds"],
      ],
    },
    {
      heading: "Folders",
      rows: [
        ["DEXDATA_CONFIG_DIR", `config and keys (${folders.config})`],
        ["DEXDATA_STATE_DIR", `pace and daily budget (${folders.state})`],
        ["DEXDATA_CACHE_DIR", `lists for suggestions, compiled code (${folders.cache})`],
      ],
    },
    {
      heading: "Shared with other programs",
      rows: [
        ["NO_COLOR, FORCE_COLOR", "colour never, colour always; TERM=dumb: no colour and no live board"],
        [
          "LC_ALL, LC_CTYPE, LANG",
          "whether the terminal shows more than ASCII; without them WT_SESSION, of Windows Terminal",
        ],
        ["XDG_CONFIG_HOME …", "where the folders above are, unless named; likewise _STATE_ and _CACHE_"],
        ["HTTPS_PROXY, ALL_PROXY", "an http:// or https:// proxy"],
        ["NO_PROXY", "hosts asked directly: names, addresses, ranges"],
        ["NODE_DISABLE_COMPILE_CACHE", "1: do not keep compiled code (Node 22.1 and later)"],
        ["NODE_EXTRA_CA_CERTS", "a file of further certificate authorities"],
      ],
    },
  ];
}
