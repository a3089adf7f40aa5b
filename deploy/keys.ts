/**
 * `npm run keys [-- <directory>] [--from <file>]`: creates the passwords and keys of a deployment, each in a file, in deploy/secrets
 * unless another directory is given. Existing secrets stay as they are. Values of an environment file, of deploy/.env for
 * deploy/secrets, are used instead of new ones: earlier versions kept the secrets there.
 */
import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, parseEnv } from "node:util";
import { runCommand, say } from "./command.ts";
import { PASSWORD_FILE, passwordLines } from "./nats/configuration.ts";
import { ensurePrivateDirectory, PRIVATE_DIRECTORY } from "./system/private-files.ts";
import { makeSecrets, processes, services, type ProcessName } from "./system/secrets.ts";

/** Permissions of a secret in its private directory: the user of a container, who is another, reads it where it is mounted. */
const MOUNTED_FILE = 0o644;
/** Public keys of all processes, and the passwords of all processes for the NATS servers. Both are made from the other files. */
const PUBLIC_KEYS = "ASSERTION_PUBLIC_KEYS";
const NATS_PASSWORDS = `nats/${PASSWORD_FILE}`;

type Variables = Record<string, string | undefined>;
interface Secret {
  /** Variable that contained the secret, or its password, in an environment file. */
  variable: string;
  /** Returns the content of the file for the value of the variable. */
  contentOf?: (value: string) => string;
  /** New value; empty for a secret that an operator may fill in. */
  value: string;
}

const databaseUrl = (role: string, database: string) => (password: string) =>
  `postgres://${role}:${password}@postgres:5432/${database}?sslmode=verify-full&sslrootcert=/etc/postgres-tls/ca.crt`;

/** Returns new secrets by the path of their file, `<process>/<setting>`. */
function newSecrets(): Record<string, Secret> {
  const { assertionKeys, databasePasswords, natsPasswords, encryptionKey } = makeSecrets();
  const secrets: Record<string, Secret> = { "postgres/POSTGRES_PASSWORD": { variable: "POSTGRES_PASSWORD", value: randomBytes(24).toString("base64url") } };
  for (const name of services) {
    const [upper, { owner, service }] = [name.toUpperCase(), databasePasswords[name]];
    secrets[`${name}-owner/${upper}_OWNER_DATABASE_URL`] = { variable: `${upper}_OWNER_PASSWORD`, value: owner, contentOf: databaseUrl(`${name}_owner`, name) };
    secrets[`${name}/${upper}_DATABASE_URL`] = { variable: `${upper}_SERVICE_PASSWORD`, value: service, contentOf: databaseUrl(`${name}_service`, name) };
  }
  for (const name of processes) {
    secrets[natsPasswordFile(name)] = { variable: `${name.toUpperCase()}_NATS_PASSWORD`, value: natsPasswords[name] };
    secrets[assertionKeyFile(name)] = { variable: `${name.toUpperCase()}_ASSERTION_KEY`, value: assertionKeys[name].privateKey };
  }
  secrets["portfolio/PORTFOLIO_ENCRYPTION_KEY"] = { variable: "PORTFOLIO_ENCRYPTION_KEY", value: encryptionKey };
  secrets["communications/SMTP_URL"] = { variable: "SMTP_URL", value: "" };
  for (const name of ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"]) secrets[`bucket/${name}`] = { variable: name, value: "" };
  return secrets;
}

const natsPasswordFile = (name: ProcessName): string => `${name}/NATS_PASSWORD`;
const assertionKeyFile = (name: ProcessName): string => `${name}/ASSERTION_KEY`;

/**
 * Creates the missing secrets of a deployment in a directory, from the variables of an earlier environment file where it has
 * them. Returns the paths of the files that were created or, for the two that are made from the others, changed.
 */
export function createSecrets(dir: string, earlier: Variables = {}): string[] {
  const read = (path: string): string => (existsSync(join(dir, path)) ? readFileSync(join(dir, path), "utf8").trim() : "");
  const written: string[] = [];
  const write = (path: string, content: string) => {
    if (existsSync(join(dir, path)) && read(path) === content.trim()) return;
    writeSecret(dir, path, content);
    written.push(path);
  };
  mkdirSync(dir, { recursive: true, mode: PRIVATE_DIRECTORY });
  for (const [path, { variable, value, contentOf = (text: string) => text }] of Object.entries(newSecrets())) {
    const content = earlier[variable] || value;
    if (read(path) === "") write(path, content && contentOf(content));
  }
  write(
    NATS_PASSWORDS,
    passwordLines((name) => read(natsPasswordFile(name))),
  );
  write(
    PUBLIC_KEYS,
    publicKeys(read(PUBLIC_KEYS) || earlier[PUBLIC_KEYS] || "{}", (name) => read(assertionKeyFile(name))),
  );
  return written;
}

function writeSecret(dir: string, path: string, content: string): void {
  const file = join(dir, path);
  if (dirname(path) !== ".") ensurePrivateDirectory(dirname(file));
  writeFileSync(file, content, { mode: MOUNTED_FILE });
  chmodSync(file, MOUNTED_FILE);
}

/** Adds the public key of each private key to the known ones, which stay valid. */
function publicKeys(known: string, privateKeyOf: (name: ProcessName) => string): string {
  const keys = orRefuse(PUBLIC_KEYS, () => JSON.parse(known) as Record<string, string | string[]>);
  for (const name of processes) {
    const publicKey = orRefuse(assertionKeyFile(name), () => publicKeyOf(privateKeyOf(name)));
    const existing = [keys[name] ?? []].flat();
    if (!existing.includes(publicKey)) keys[name] = existing.length === 0 ? publicKey : [...existing, publicKey];
  }
  return JSON.stringify(keys);
}

/** Returns the public key of a private key, both in base64. */
function publicKeyOf(privateKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  return createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
}

/** Replaces the error of a file's content, which may repeat it, by one that names the file. */
function orRefuse<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Error(`${path} is not valid. Restore it, or delete it for a new one.`);
  }
}

/** Returns the variables of an environment file that are secrets in files now. */
function earlierSecrets(file: string): Variables {
  const names = new Set([PUBLIC_KEYS, ...Object.values(newSecrets()).map(({ variable }) => variable)]);
  return Object.fromEntries(Object.entries(parseEnv(readFileSync(file, "utf8"))).filter(([name, value]) => names.has(name) && value));
}

if (import.meta.main) {
  await runCommand(async () => {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { from: { type: "string" } } });
    const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
    const dir = resolve(positionals[0] ?? here("secrets"));
    const file = values.from ?? (positionals.length === 0 && existsSync(here(".env")) ? here(".env") : undefined);
    const earlier = file === undefined ? {} : earlierSecrets(file);
    const written = createSecrets(dir, earlier);
    say(written.length > 0 ? `Written to ${dir}: ${written.join(", ")}.` : `${dir} has all secrets.`);
    const names = Object.keys(earlier);
    if (names.length > 0) say(`Delete these lines from ${relative(process.cwd(), file!)}, since the files replace them: ${names.join(", ")}.`);
  });
}
