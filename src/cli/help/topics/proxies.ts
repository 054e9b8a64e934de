import type { Block } from "../page.ts";

export function proxiesTopic(): readonly Block[] {
  return [
    {
      prose:
        "REST and streams go through an http:// or https:// proxy by a tunnel: it sees which host is asked, never the key. " +
        "This machine is always asked directly, and so is the sandbox. HTTP/1.1 is spoken everywhere.",
    },
    {
      heading: "Variables",
      rows: [
        [
          "https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY",
          "the proxy: the first that is set. SOCKS is refused; no message shows a name and password in it",
        ],
        [
          "no_proxy, NO_PROXY",
          "hosts asked directly: names (with their subdomains), addresses, ranges, each with :port if only that is " +
            "meant; * is every host",
        ],
        ["HTTP_PROXY", "changes nothing: it is for plain http, which is spoken with this machine only"],
        ["NODE_EXTRA_CA_CERTS", "a file with an authority of your own, or of a proxy that opens TLS"],
      ],
    },
    { prose: "dexdata doctor says which proxy is used, and what is wrong with it or with a certificate." },
    { heading: "Examples", commands: ["dexdata doctor --no-stream --sandbox"] },
  ];
}
