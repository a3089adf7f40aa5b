/**
 * `npm run certificates [-- <directory> [<host>…]]`: creates the TLS certificates of the NATS servers of a deployment, in
 * deploy/certificates unless another directory is given, or of a server at the given hosts, such as PostgreSQL. Renews certificates that are valid for less than a year, and leaves others as they are.
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand, say } from "./command.ts";
import { ensureCertificates } from "./nats/certificates.ts";

/** Names of the servers in docker-compose.yaml and in the Kubernetes manifests, and of a server on the same machine. */
export const deploymentHosts = ["nats", "nats-0.nats-servers", "nats-1.nats-servers", "nats-2.nats-servers", "localhost", "127.0.0.1"];

if (import.meta.main) {
  await runCommand(async () => {
    const dir = resolve(process.argv[2] ?? fileURLToPath(new URL("certificates", import.meta.url)));
    const hosts = process.argv.slice(3);
    const isNew = await ensureCertificates(dir, hosts.length > 0 ? hosts : deploymentHosts);
    say(isNew ? `Created ca.crt, tls.crt and tls.key in ${dir}.` : `The certificates in ${dir} are valid for another year.`);
  });
}
