/**
 * `npm run --silent keys >> deploy/.env`: prints new keys and passwords for a deployment as lines of an environment file. They are
 * stored nowhere else.
 */
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { makeSecrets, processes, services } from "./system/secrets.ts";

/**
 * Returns one line per secret: passwords of the superuser and of two roles per database, passwords of the processes at NATS, private
 * keys of the processes, the encryption key of tax ids, and all public keys.
 */
export function keyLines(): string {
  const { assertionKeys, databasePasswords, natsPasswords, encryptionKey } = makeSecrets();
  const publicKeys = Object.fromEntries(processes.map((name) => [name, assertionKeys[name].publicKey]));
  return [
    `POSTGRES_PASSWORD=${randomBytes(24).toString("base64url")}`,
    ...services.flatMap((name) => [
      `${name.toUpperCase()}_OWNER_PASSWORD=${databasePasswords[name].owner}`,
      `${name.toUpperCase()}_SERVICE_PASSWORD=${databasePasswords[name].service}`,
    ]),
    ...processes.map((name) => `${name.toUpperCase()}_NATS_PASSWORD=${natsPasswords[name]}`),
    ...processes.map((name) => `${name.toUpperCase()}_ASSERTION_KEY=${assertionKeys[name].privateKey}`),
    `PORTFOLIO_ENCRYPTION_KEY=${encryptionKey}`,
    `ASSERTION_PUBLIC_KEYS='${JSON.stringify(publicKeys)}'`,
    "",
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(keyLines());
