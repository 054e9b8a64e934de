import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * Certificates for 127.0.0.1, ::1, localhost, service.invalid and proxy.invalid until the year 2119, created once with
 * openssl. No system trusts their authority, and its key was deleted. The name of each certificate states its problem.
 */
export type CertificateName = "sound" | "expired" | "early" | "other-name" | "self-signed";

const folder = path.resolve("test/harness/certificates");

/** For NODE_EXTRA_CA_CERTS. */
export const authorityFile = path.join(folder, "authority.pem");

/** Returns the options of `tls.createServer`. */
export function certificateOptions(name: CertificateName): { readonly cert: Buffer; readonly key: Buffer } {
  return {
    cert: readFileSync(path.join(folder, `${name}.pem`)),
    key: readFileSync(path.join(folder, "key.pem")),
  };
}
