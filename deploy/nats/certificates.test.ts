import { describe, expect, test } from "@jest/globals";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificateFiles, ensureCertificates } from "./certificates.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
const hosts = ["localhost", "127.0.0.1", "nats-0.nats-servers"];

async function inDirectory(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "freehold-certificates-"));
  await work(dir).finally(() => rmSync(dir, { recursive: true }));
}
const readCertificate = (path: string) => new X509Certificate(readFileSync(path));
const contentsOf = (dir: string) => Object.values(certificateFiles(dir)).map((path) => readFileSync(path, "utf8"));

describe("ensureCertificates", () => {
  test("creates a certificate for the hosts, issued by the authority, and a key that only its owner can read", () =>
    inDirectory(async (dir) => {
      expect(await ensureCertificates(dir, hosts)).toBe(true);
      const { ca, certificate, key } = certificateFiles(dir);
      const [authority, server] = [readCertificate(ca), readCertificate(certificate)];
      expect(server.checkIssued(authority) && server.verify(authority.publicKey)).toBe(true);
      expect([authority.ca, server.ca]).toEqual([true, false]);
      expect([server.checkHost("localhost"), server.checkHost("nats-0.nats-servers"), server.checkIP("127.0.0.1")]).not.toContain(undefined);
      expect([server.checkHost("example.com"), server.checkIP("127.0.0.2")]).toEqual([undefined, undefined]);
      expect(statSync(key).mode & 0o777).toBe(0o600);
    }));

  test("keeps certificates for nine years, then renews them for ten", () =>
    inDirectory(async (dir) => {
      const now = Date.now();
      await ensureCertificates(dir, hosts, new Date(now));
      const created = contentsOf(dir);
      expect(await ensureCertificates(dir, hosts, new Date(now + 8.9 * YEAR_MS))).toBe(false);
      expect(contentsOf(dir)).toEqual(created);
      expect(await ensureCertificates(dir, hosts, new Date(now + 9.1 * YEAR_MS))).toBe(true);
      for (const path of [certificateFiles(dir).ca, certificateFiles(dir).certificate])
        expect(readCertificate(path).validToDate.getTime()).toBeGreaterThan(now + 19 * YEAR_MS);
    }));

  test("issues new certificates for a host that they do not name, and keeps them for fewer hosts", () =>
    inDirectory(async (dir) => {
      await ensureCertificates(dir, hosts);
      expect(await ensureCertificates(dir, ["localhost"])).toBe(false);
      expect(await ensureCertificates(dir, ["localhost", "192.0.2.7"])).toBe(true);
      expect(readCertificate(certificateFiles(dir).certificate).checkIP("192.0.2.7")).toBe("192.0.2.7");
    }));

  test("replaces files that do not belong together, as after an interrupted renewal", () =>
    inDirectory(async (dir) => {
      await ensureCertificates(dir, hosts);
      const [, , key] = contentsOf(dir);
      rmSync(certificateFiles(dir).ca);
      await ensureCertificates(dir, hosts);
      writeFileSync(certificateFiles(dir).key, key!);
      expect(await ensureCertificates(dir, hosts)).toBe(true);
      expect(await ensureCertificates(dir, hosts)).toBe(false);
    }));
});
