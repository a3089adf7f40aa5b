/** TLS certificates of NATS and PostgreSQL servers, issued by a certificate authority whose key is not stored, so that it cannot issue others. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { PRIVATE_DIRECTORY, writePrivateFile } from "../system/private-files.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
const VALIDITY_YEARS = 10;
/** Start of the validity, early enough for machines whose clock is slow. */
const NOT_BEFORE = new Date("2026-01-01T00:00:00Z");
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

interface CertificatePaths {
  ca: string;
  certificate: string;
  key: string;
}
type PemCertificates = Record<keyof CertificatePaths, string>;

/** Returns the paths of the certificates in a directory. The names are those of a Kubernetes secret for TLS. */
export const certificateFiles = (dir: string): CertificatePaths => ({
  ca: join(dir, "ca.crt"),
  certificate: join(dir, "tls.crt"),
  key: join(dir, "tls.key"),
});

/**
 * Creates a certificate authority and a certificate of the servers at the given hosts, valid for ten years, unless the directory
 * has certificates of these hosts that are valid for another year. Returns true if it created them.
 */
export async function ensureCertificates(dir: string, hosts: readonly string[], now = new Date()): Promise<boolean> {
  const files = certificateFiles(dir);
  if (areValid(files, hosts, new Date(now.getTime() + YEAR_MS))) return false;
  const { ca, certificate, key } = await issueCertificate(hosts, new Date(now.getTime() + VALIDITY_YEARS * YEAR_MS));
  mkdirSync(dir, { recursive: true, mode: PRIVATE_DIRECTORY });
  writePrivateFile(files.key, key);
  writeFileSync(files.certificate, certificate);
  writeFileSync(files.ca, ca);
  return true;
}

/** Returns true if the files exist, belong together, name all hosts, and are valid until a time. */
function areValid({ ca, certificate, key }: CertificatePaths, hosts: readonly string[], until: Date): boolean {
  try {
    const server = new X509Certificate(readFileSync(certificate));
    const isIssued = server.verify(new X509Certificate(readFileSync(ca)).publicKey);
    const namesHosts = hosts.every((host) => (isIP(host) ? server.checkIP(host) : server.checkHost(host)) !== undefined);
    return isIssued && namesHosts && server.checkPrivateKey(createPrivateKey(readFileSync(key))) && server.validToDate >= until;
  } catch {
    return false;
  }
}

/** Returns the certificates and the server's key in PEM. */
async function issueCertificate(hosts: readonly string[], notAfter: Date): Promise<PemCertificates> {
  // Loaded only here, since loading takes longer than the check of existing certificates. The library needs the polyfill.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const generateKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const [caKeys, keys] = await Promise.all([generateKeys(), generateKeys()]);
  const common = { notBefore: NOT_BEFORE, notAfter, signingAlgorithm: ALGORITHM };
  const { KeyUsageFlags, ExtendedKeyUsage } = x509;
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...common,
    name: "CN=Freehold authority",
    keys: caKeys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...common,
    subject: "CN=Freehold servers",
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: isIP(value) ? "ip" : "dns", value }))),
      new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      // The servers of a cluster are clients of each other.
      new x509.ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
    ],
  });
  const privateKey = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { ca: ca.toString("pem"), certificate: certificate.toString("pem"), key: x509.PemConverter.encode(privateKey, "PRIVATE KEY") };
}
