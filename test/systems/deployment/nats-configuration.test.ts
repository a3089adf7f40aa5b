/** Configuration of the NATS servers of docker-compose.yaml and of the Kubernetes manifests. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { deploymentHosts } from "../../../deploy/certificates.ts";
import { clusterConfiguration } from "../../../deploy/kubernetes/nats.ts";
import { ensureCertificates } from "../../../deploy/nats/certificates.ts";
import { composeConfiguration, CONTAINER_CERTIFICATE_DIR, PASSWORD_FILE, passwordLines } from "../../../deploy/nats/configuration.ts";
import { findNats } from "../../../deploy/system/nats.ts";
import { processes } from "../../../deploy/system/secrets.ts";
import { exampleEnvironment, readCompose } from "./compose.ts";
import { getManifest } from "./manifests.ts";

const compose = readCompose(exampleEnvironment());
const natsDir = mkdtempSync(join(tmpdir(), "freehold-nats-"));
afterAll(() => rmSync(natsDir, { recursive: true }));

describe("the NATS configuration", () => {
  test("names only servers for which npm run certificates creates a certificate", () => {
    const urls = [...compose.services["ledger"]!.environment!["NATS_URL"]!.split(","), ...getManifest("ConfigMap", "ledger").data!["NATS_URL"]!.split(",")];
    const routes = /routes: \[(.*)\]/.exec(clusterConfiguration)![1]!.split(", ");
    const hosts = [...urls, ...routes].map((url) => new URL(url).hostname);
    expect(hosts.length).toBe(5);
    expect(hosts.filter((host) => !deploymentHosts.includes(host))).toEqual([]);
  });

  test.each([
    ["docker-compose.yaml", composeConfiguration()],
    ["the manifests", clusterConfiguration],
  ])("of %s is valid, with any password", async (_, configuration) => {
    await ensureCertificates(natsDir, deploymentHosts);
    writeFileSync(join(natsDir, "nats.conf"), configuration.replaceAll(CONTAINER_CERTIFICATE_DIR, natsDir));
    // Without quotes, NATS would read these as a number, a size and a date.
    const passwords = ["1e5", "8k", "2026-01-01", "-1", "true", "0"];
    writeFileSync(
      join(natsDir, PASSWORD_FILE),
      passwordLines((name) => passwords[processes.indexOf(name)]!),
    );
    const { status, stderr } = spawnSync(
      findNats(() => undefined),
      ["-t", "-c", join(natsDir, "nats.conf")],
      { encoding: "utf8", env: { POD_NAME: "nats-0" } },
    );
    expect([status, stderr]).toEqual([0, expect.stringMatching(/is valid\s*$/)]);
  });
});
