/**
 * `npm run certificates [-- <directory> [<host>…]]`: creates the TLS certificates of the NATS servers of a deployment, in
 * deploy/certificates unless another directory is given, and of PostgreSQL in compose, in its subfolder `postgres`; or those of a server
 * at the given hosts. Renews certificates that are valid for less than a year or do not name a host, and leaves others as they are.
 */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand, say } from "./command.ts";
import { ensureCertificates } from "./nats/certificates.ts";

/** Names of the servers in docker-compose.yaml and in the Kubernetes manifests, and of a server on the same machine. */
export const deploymentHosts = ["nats", "nats-0.nats-servers", "nats-1.nats-servers", "nats-2.nats-servers", "localhost", "127.0.0.1"];

/** Names of PostgreSQL in docker-compose.yaml, and on the same machine. */
export const postgresHosts = ["postgres", "localhost", "127.0.0.1"];

async function createCertificates(dir: string, hosts: readonly string[]): Promise<void> {
  const isNew = await ensureCertificates(dir, hosts);
  say(isNew ? `Created ca.crt, tls.crt and tls.key in ${dir}.` : `The certificates in ${dir} name these hosts and are valid for another year.`);
}

if (import.meta.main) {
  await runCommand(async () => {
    const dir = resolve(process.argv[2] ?? fileURLToPath(new URL("certificates", import.meta.url)));
    const hosts = process.argv.slice(3);
    if (hosts.length > 0) return createCertificates(dir, hosts);
    await createCertificates(dir, deploymentHosts);
    await createCertificates(join(dir, "postgres"), postgresHosts);
  });
}
