/**
 * `npm run keys [-- <directory>] [--from <file>]`: creates the passwords and keys of a deployment, each in a file, in deploy/secrets
 * unless another directory is given. Existing secrets stay as they are. To update from a version with secrets in the
 * environment, values of the file given with `--from` (by default deploy/.env, if no directory is given) are used instead of new ones.
 */
import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, parseEnv } from "node:util";
import { runCommand, say } from "./command.ts";
import { PASSWORD_FILE, passwordLines } from "./nats/configuration.ts";
import { deploymentDatabaseUrl } from "./postgres/url.ts";
import { ensurePrivateDirectory } from "./system/private-files.ts";
import { webhookSecrets } from "../services/communications/src/webhooks/webhook-secrets.ts";
import { makeSecrets, processes, services, type ProcessName } from "./system/secrets.ts";

/** Permissions of a secret in its private directory: the user of a container, who is another, reads it where it is mounted. */
const MOUNTED_FILE = 0o644;
/** File with the public keys of all processes, generated from the private keys. */
const PUBLIC_KEYS = "ASSERTION_PUBLIC_KEYS";
/** File with all passwords for the NATS servers, generated from those of the processes. */
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

/** Characters that a password may have as it is in a database URL. */
const PLAIN_PASSWORD = /^[\w.~-]+$/;

const urlOf = (role: string, database: string) => (password: string) => {
  if (PLAIN_PASSWORD.test(password)) return deploymentDatabaseUrl(role, password, "postgres", database);
  throw new Error(`The password of ${role} has characters other than letters, digits, "_", ".", "~" and "-". Change it first (alter role ${role} password …).`);
};

/** Returns new secrets by the path of their file, `<process>/<setting>`. */
function newSecrets(): Record<string, Secret> {
  const { assertionKeys, databasePasswords, natsPasswords, encryptionKey, mailEncryptionKey } = makeSecrets();
  const secrets: Record<string, Secret> = { "postgres/POSTGRES_PASSWORD": { variable: "POSTGRES_PASSWORD", value: randomBytes(24).toString("base64url") } };
  for (const name of services) {
    const [upper, { owner, service }] = [name.toUpperCase(), databasePasswords[name]];
    secrets[`${name}-owner/${upper}_OWNER_DATABASE_URL`] = { variable: `${upper}_OWNER_PASSWORD`, value: owner, contentOf: urlOf(`${name}_owner`, name) };
    secrets[`${name}/${upper}_DATABASE_URL`] = { variable: `${upper}_SERVICE_PASSWORD`, value: service, contentOf: urlOf(`${name}_service`, name) };
  }
  for (const name of processes) {
    secrets[natsPasswordFile(name)] = { variable: `${name.toUpperCase()}_NATS_PASSWORD`, value: natsPasswords[name] };
    secrets[assertionKeyFile(name)] = { variable: `${name.toUpperCase()}_ASSERTION_KEY`, value: assertionKeys[name].privateKey };
  }
  secrets["portfolio/PORTFOLIO_ENCRYPTION_KEY"] = { variable: "PORTFOLIO_ENCRYPTION_KEY", value: encryptionKey };
  secrets["communications/COMMUNICATIONS_ENCRYPTION_KEY"] = { variable: "COMMUNICATIONS_ENCRYPTION_KEY", value: mailEncryptionKey };
  for (const name of ["SMTP_URL", "SMS_PROVIDER_AUTH_TOKEN", "TRANSLATION_KEY", ...webhookSecrets])
    secrets[`communications/${name}`] = { variable: name, value: "" };
  for (const name of ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"]) secrets[`bucket/${name}`] = { variable: name, value: "" };
  return secrets;
}

const natsPasswordFile = (name: ProcessName): string => `${name}/NATS_PASSWORD`;
const assertionKeyFile = (name: ProcessName): string => `${name}/ASSERTION_KEY`;

/**
 * Creates the missing secrets of a deployment in a directory. A value in `environment`, the variables of an environment file, is used
 * instead of a new one. Returns the paths of the files that were created or, for the two generated from the others, changed.
 */
export function createSecrets(dir: string, environment: Variables = {}): string[] {
  const read = (path: string): string => (existsSync(join(dir, path)) ? readFileSync(join(dir, path), "utf8").trim() : "");
  const written: string[] = [];
  const write = (path: string, content: string) => {
    if (existsSync(join(dir, path)) && read(path) === content.trim()) return;
    writeSecret(dir, path, content);
    written.push(path);
  };
  for (const path of ["", ...Object.keys(newSecrets()).map(dirname), dirname(NATS_PASSWORDS)]) ensurePrivateDirectory(join(dir, path));
  for (const [path, { variable, value, contentOf = (text: string) => text }] of Object.entries(newSecrets())) {
    const content = environment[variable] || value;
    if (read(path) === "") write(path, content && contentOf(content));
  }
  write(
    NATS_PASSWORDS,
    passwordLines((name) => read(natsPasswordFile(name))),
  );
  write(
    PUBLIC_KEYS,
    publicKeys([read(PUBLIC_KEYS), environment[PUBLIC_KEYS]], (name) => read(assertionKeyFile(name))),
  );
  return written;
}

function writeSecret(dir: string, path: string, content: string): void {
  const file = join(dir, path);
  // Not in place: a write that is cut off would lose what the file contained.
  writeFileSync(`${file}.part`, content, { mode: MOUNTED_FILE });
  chmodSync(`${file}.part`, MOUNTED_FILE);
  renameSync(`${file}.part`, file);
}

/** Adds the public key of each private key to those of the given JSON texts, which stay valid. */
function publicKeys(known: readonly (string | undefined)[], privateKeyOf: (name: ProcessName) => string): string {
  const keysByName = new Map<string, Set<string>>();
  const add = (name: string, publicKey: string) => keysByName.set(name, (keysByName.get(name) ?? new Set()).add(publicKey));
  for (const text of known)
    for (const [name, keys] of parseContent(PUBLIC_KEYS, () => Object.entries(JSON.parse(text || "{}") as Record<string, string | string[]>)))
      for (const key of [keys].flat()) add(name, key);
  for (const name of processes)
    add(
      name,
      parseContent(assertionKeyFile(name), () => publicKeyOf(privateKeyOf(name))),
    );
  return JSON.stringify(Object.fromEntries([...keysByName].map(([name, keys]) => [name, keys.size === 1 ? [...keys][0] : [...keys]])));
}

/** Returns the public key of a private key, both in base64. */
function publicKeyOf(privateKey: string): string {
  const key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
  return createPublicKey(key).export({ format: "der", type: "spki" }).toString("base64");
}

/** Parses the content of a file. Throws an error that names the file and does not repeat the content. */
function parseContent<T>(path: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Error(`${path} is not valid. Restore it, or delete it for a new one.`);
  }
}

/**
 * Returns the variables of an environment file that are secrets in files now. Throws for a value that compose and this parser may
 * read differently.
 */
function readEnvironmentSecrets(file: string): Variables {
  const names = new Set([PUBLIC_KEYS, ...Object.values(newSecrets()).map(({ variable }) => variable)]);
  const text = readFileSync(file, "utf8");
  for (const [, name, value] of text.matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*([^'\s].*)$/gm))
    if (names.has(name!) && (value!.startsWith('"') ? /[$\\]/ : /[#$]/).test(value!))
      throw new Error(`The value of ${name} in ${file} has a special character (#, $ or \\). Put it in single quotes and run the command again.`);
  const secrets = Object.fromEntries(Object.entries(parseEnv(text)).filter(([name, value]) => names.has(name) && value));
  parseContent(`${PUBLIC_KEYS} in ${file}`, () => JSON.parse(secrets[PUBLIC_KEYS] ?? "{}") as unknown);
  return secrets;
}

/** Returns the variables whose value is that of their file, and those whose file has another value. */
function compareWithFiles(dir: string, environment: Variables): { same: string[]; other: string[] } {
  const isContent = (path: string, contentOf: () => string): boolean => {
    try {
      return readFileSync(join(dir, path), "utf8").trim() === contentOf().trim();
    } catch {
      // A password that is refused is in the file in another form.
      return false;
    }
  };
  const compared = Object.entries(newSecrets()).flatMap(([path, { variable, contentOf = (text: string) => text }]) => {
    const value = environment[variable];
    return value ? [{ variable, isSame: isContent(path, () => contentOf(value)) }] : [];
  });
  const variablesOf = (isSame: boolean) => compared.filter((each) => each.isSame === isSame).map(({ variable }) => variable);
  return { same: [...variablesOf(true), ...(environment[PUBLIC_KEYS] ? [PUBLIC_KEYS] : [])].toSorted(), other: variablesOf(false) };
}

if (import.meta.main) {
  await runCommand(async () => {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { from: { type: "string" } } });
    const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
    const dir = resolve(positionals[0] ?? here("secrets"));
    const file = values.from ?? (positionals.length === 0 && existsSync(here(".env")) ? here(".env") : undefined);
    const environment = file === undefined ? {} : readEnvironmentSecrets(file);
    const written = createSecrets(dir, environment);
    say(written.length > 0 ? `Written to ${dir}: ${written.join(", ")}.` : `${dir} has all secrets.`);
    const { same, other } = compareWithFiles(dir, environment);
    const source = relative(process.cwd(), file ?? "");
    if (same.length > 0) say(`Delete these lines from ${source}, since the files have their values: ${same.join(", ")}.`);
    if (other.length > 0)
      throw new Error(`The files have other values than ${source} for ${other.join(", ")}. Delete the wrong ones, and run the command again.`);
  });
}
