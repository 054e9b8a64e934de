import type { Block } from "../page.ts";

export function keysTopic(): readonly Block[] {
  return [
    {
      prose:
        "Without a key you are keyless. dexdata auth login stores one after asking the service for its plan, which decides " +
        "the hosts: keyless and free ask the free ones, dev, pro and enterprise the paid ones.",
    },
    {
      heading: "The key comes from, in this order",
      rows: [
        ["1", "--key-file FILE or --profile NAME"],
        ["2", "DEXDATA_API_KEY"],
        ["3", "the profile that DEXDATA_PROFILE names"],
        [
          "4",
          "the program of key_command in the config file: the first line that it prints. It runs without a shell, once, " +
            "when a request is about to be sent, for a minute at most; what else it says is shown to nobody",
        ],
        ["5", "the profile that `profile` in the config file names, else the one last chosen by auth switch"],
      ],
    },
    {
      prose:
        "A stored key brings its tier. For another one dexdata auth status asks the service and remembers the answer with a " +
        "hash of the key; or DEXDATA_TIER says it. No host is ever guessed, so a container or a CI job sets both " +
        "DEXDATA_API_KEY and DEXDATA_TIER.",
    },
    {
      heading: "Where it goes",
      rows: [
        ["any key", "bare, to the configured hosts only, over https or loopback; no redirect is followed"],
        [
          "one that is kept",
          "stored, or from key_command: the service's hosts, those it was stored for, and those named by --base-url or the " +
            "config file. A variable alone names it no other: such a run ends with exit 2 before a request",
        ],
        [
          "one handed over",
          "DEXDATA_API_KEY, --key-file: whatever host the run names, but never one of the service's own hosts that serves " +
            "another plan",
        ],
      ],
    },
    {
      prose:
        "Whatever is no key (a scheme word, quotes, blanks, a shortened one) is refused before a request. No message " +
        "contains a key, and no command prints one.",
    },
    { heading: "Examples", commands: ["dexdata auth status --sandbox"] },
  ];
}
