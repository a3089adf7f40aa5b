/** Keys and passwords of the embedded deployment, generated once and stored in the data directory, readable by its owner only. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "./private-files.ts";

export const services = ["identity", "portfolio", "ledger", "communications", "imports"] as const;
export type ServiceName = (typeof services)[number];
export const processes = ["gateway", ...services] as const;
export type ProcessName = (typeof processes)[number];

export interface Secrets {
  assertionKeys: Record<ProcessName, { privateKey: string; publicKey: string }>;
  databasePasswords: Record<ServiceName, { owner: string; service: string }>;
  /** Password of each process at the NATS servers. */
  natsPasswords: Record<ProcessName, string>;
  /** Key with which portfolio encrypts tax ids. */
  encryptionKey: string;
  /** Key with which communications encrypts the DKIM keys of e-mail accounts. */
  mailEncryptionKey: string;
}

/** Generates keys and passwords for every process and database. */
export function makeSecrets(): Secrets {
  const keyPair = () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    return {
      privateKey: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
      publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
    };
  };
  const password = () => randomBytes(24).toString("base64url");
  return {
    assertionKeys: Object.fromEntries(processes.map((name) => [name, keyPair()])) as Secrets["assertionKeys"],
    databasePasswords: Object.fromEntries(services.map((name) => [name, { owner: password(), service: password() }])) as Secrets["databasePasswords"],
    natsPasswords: Object.fromEntries(processes.map((name) => [name, password()])) as Secrets["natsPasswords"],
    encryptionKey: randomBytes(32).toString("base64"),
    mailEncryptionKey: randomBytes(32).toString("base64"),
  };
}

/** Reads the secrets of a data directory. Generates and stores missing ones. */
export function readSecrets(dataDir: string): Secrets {
  const file = join(dataDir, "secrets.json");
  const stored = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Partial<Secrets>) : {};
  const secrets = { ...makeSecrets(), ...stored };
  if (Object.keys(stored).length < Object.keys(secrets).length) writePrivateFile(file, JSON.stringify(secrets));
  return secrets;
}
