/** Keys and passwords of the embedded deployment: made once, kept in the data directory for its owner's eyes only. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const services = ["identity", "portfolio", "ledger", "communications", "imports"] as const;
export type ServiceName = (typeof services)[number];
export const processes = ["gateway", ...services] as const;
export type ProcessName = (typeof processes)[number];

export interface Secrets {
  assertionKeys: Record<ProcessName, { privateKey: string; publicKey: string }>;
  databasePasswords: Record<ServiceName, { owner: string; service: string }>;
}

/** Fresh keys and passwords for every process and database. */
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
  };
}

export function readSecrets(dataDir: string): Secrets {
  const file = join(dataDir, "secrets.json");
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(makeSecrets()), { mode: 0o600 });
  return JSON.parse(readFileSync(file, "utf8")) as Secrets;
}
