/** Password hashing with argon2id, in the PHC string format: each hash contains its cost parameters, so the cost can be raised later. */
import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(argon2) as (algorithm: "argon2id", parameters: Argon2Parameters) => Promise<Buffer>;
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const PHC_PATTERN = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const base64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
/** Returns the bytes to hash. The password is normalized, since keyboards differ in the Unicode form of an accented letter. */
const passwordBytes = (password: string): Buffer => Buffer.from(password.normalize("NFKC"));

/** Returns the hash of a password, with the current cost parameters. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive("argon2id", { message: passwordBytes(password), nonce, tagLength: TAG_BYTES, ...COST });
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(nonce)}$${base64(tag)}`;
}

/** Tells whether a password is that of a hash. Throws for a malformed hash. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = PHC_PATTERN.exec(hash) ?? [];
  if (!nonce || !tag) throw new Error("A stored password hash is not in the PHC format.");
  const expected = Buffer.from(tag, "base64");
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const actual = await derive("argon2id", { message: passwordBytes(password), nonce: Buffer.from(nonce, "base64"), tagLength: expected.length, ...cost });
  return timingSafeEqual(actual, expected);
}

/** Tells whether a hash was created with other cost parameters than the current ones. */
export function needsRehash(hash: string): boolean {
  const [, memory, passes, parallelism] = PHC_PATTERN.exec(hash) ?? [];
  return Number(memory) !== COST.memory || Number(passes) !== COST.passes || Number(parallelism) !== COST.parallelism;
}

/** Hash that no password matches, for a verification of the same duration when no user was found. */
export const DUMMY_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(randomBytes(16))}$${base64(randomBytes(TAG_BYTES))}`;
