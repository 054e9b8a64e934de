import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * Certificates for 127.0.0.1, ::1, localhost, service.invalid and proxy.invalid until the year 2119, made once with
 * openssl. Their authority is one that nobody trusts and whose key is gone. What is wrong with each is its name.
 */
export type CertificateName = "sound" | "expired" | "early" | "other-name" | "self-signed";

const folder = path.resolve("test/harness/certificates");

/** For NODE_EXTRA_CA_CERTS. */
export const authorityFile = path.join(folder, "authority.pem");

/** What `tls.createServer` takes. */
export function certificateOptions(name: CertificateName): { readonly cert: Buffer; readonly key: Buffer } {
  return {
    cert: readFileSync(path.join(folder, `${name}.pem`)),
    key: readFileSync(path.join(folder, "key.pem")),
  };
}
