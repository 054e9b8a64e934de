import { fail, type Failure } from "../../contract/failure.ts";

interface Judgement {
  readonly sentence: string;
  readonly next: string;
}

const clock = "check this machine's clock; if it is right, tell whoever runs the host";
const authority =
  "if that is its own authority, or a proxy's, name the authority's file in NODE_EXTRA_CA_CERTS";

/** What OpenSSL and node:tls say of a certificate; the sentences go on after `the certificate of api.example `. */
const certificates: Readonly<Record<string, Judgement>> = {
  CERT_HAS_EXPIRED: { sentence: "has expired", next: clock },
  CERT_NOT_YET_VALID: { sentence: "is not valid yet", next: clock },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    sentence: "is for other hosts",
    next: "check the host's name: something else may answer there",
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: { sentence: "is signed by itself", next: authority },
  SELF_SIGNED_CERT_IN_CHAIN: {
    sentence: "comes from an authority that is not trusted here",
    next: authority,
  },
  UNABLE_TO_GET_ISSUER_CERT: { sentence: "comes from an authority that is not known here", next: authority },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: {
    sentence: "comes from an authority that is not known here",
    next: authority,
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: {
    sentence: "comes from an authority that is not known here",
    next: authority,
  },
  CERT_REVOKED: { sentence: "has been revoked", next: "tell whoever runs the host" },
};

/** A fault of the secure connection: exit 7, and no other try would change it. Undefined for every other code. */
export function tlsFailure(
  { code, message }: { readonly code: string; readonly message: string },
  host: string,
  isUnsent: boolean,
): Failure | undefined {
  if (code in certificates || /^(ERR_TLS_CERT|CERT_|UNABLE_TO|HOSTNAME_MISMATCH)/u.test(code)) {
    const { sentence, next } = certificates[code] ?? { sentence: "was not accepted", next: authority };
    return fail("tls", `the certificate of ${host} ${sentence} (${code})`, { isUnsent: true, next });
  }
  // node:https makes EPROTO of all that OpenSSL says, and so do some systems.
  if (!/^(ERR_TLS|ERR_SSL|EPROTO)/u.test(code)) return undefined;
  if (/wrong version number|packet length too long/u.test(message)) return plainHttpFailure(host);
  const isOld = /alert protocol version|unsupported protocol/u.test(message);
  const fault = isOld
    ? `${host} speaks only versions of TLS that are no longer secure`
    : `no secure connection to ${host}`;
  return fail("tls", `${fault} (${code})`, {
    isUnsent,
    next: isOld ? "tell whoever runs the host: TLS 1.2 or newer is needed" : checkPort,
  });
}

const checkPort = "check the host, its port, and any proxy in between";

/** Of an https URL to a port on which plain HTTP is spoken. No attempt would change it. */
export function plainHttpFailure(host: string): Failure {
  return fail("tls", `${host} does not speak TLS on this port; is it http?`, {
    isUnsent: true,
    next: checkPort,
  });
}
