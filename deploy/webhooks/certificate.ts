/** Self-signed RSA certificates, with which development and tests stand for the cloud notification service. */
import { KeyObject, randomUUID } from "node:crypto";

const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", publicExponent: new Uint8Array([1, 0, 1]) };
const DAY_MS = 86_400_000;

export interface SigningCertificate {
  pem: string;
  privateKey: KeyObject;
}

/** Creates a certificate of a host that may also serve it over TLS. By default it is valid from yesterday until tomorrow. */
export async function createSigningCertificate({
  name = "localhost",
  from = Date.now() - DAY_MS,
  to = Date.now() + DAY_MS,
  bits = 2_048,
} = {}): Promise<SigningCertificate> {
  // The library needs the polyfill.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const keys = await crypto.subtle.generateKey({ ...ALGORITHM, modulusLength: bits }, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // A name of its own, since of several trusted roots with one name only the first is tried.
    name: `CN=${name}, OU=${randomUUID()}`,
    notBefore: new Date(from),
    notAfter: new Date(to),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }])],
  });
  return { pem: certificate.toString("pem"), privateKey: KeyObject.from(keys.privateKey) };
}
