/**
 * Signing keys of access tokens, shared by all replicas. The database stores the private halves encrypted. A key signs for 30 days; the
 * next one is published before it signs, and the former one until its last token has expired. The replica that reads the keys when the
 * next one is due creates it. A replica reads the keys again before it signs if it read them more than a minute ago: while it was idle, or its
 * machine asleep, the key that it knows may have been retired.
 */
import { now } from "@freehold/kit/time/clock";
import { unscopedDb, type Database, type OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { sql } from "@freehold/kit/db/statement";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from "jose";
import { nextSigningTime, retirementOfPredecessors, signingKeyAt } from "./signing-key.rules.ts";
import type { SigningKeyVault } from "./signing-key-vault.ts";
import { findClearKeys, findSigningKeys, insertSuccessor, storeSealedKey, type StoredSigningKey } from "./signing-keys.queries.ts";

const MAX_AGE_MS = 60_000;
/** Delay after a failed reading of the keys. */
const RETRY_MS = 5_000;

interface SigningKey {
  kid: string;
  key: CryptoKey | Uint8Array;
  signsFrom: Date;
}

export interface SigningKeys {
  /**
   * Reads the keys again, if the known ones are older than a minute. Never fails: the known ones serve until then. Runs outside of transactions, since
   * it needs a connection.
   */
  refresh(): Promise<void>;
  /** Returns the key that signs new tokens. */
  current(): Pick<SigningKey, "kid" | "key">;
  /** Returns the public keys, as JWKs, of all tokens that may be valid now or are signed next. */
  published(): Promise<Record<string, unknown>[]>;
}

/** Loads the signing keys. Creates a key on the first start, and encrypts the keys that a former version stored. */
export async function loadSigningKeys(database: Database, vault: SigningKeyVault, { maxAgeMs = MAX_AGE_MS } = {}): Promise<SigningKeys> {
  const db = unscopedDb(database);
  for (const { kid, privateKey } of await findClearKeys(db)) await storeSealedKey(db, kid, vault.seal(privateKey));
  let keys = await loadOpenKeys(db, vault);
  // The wall clock also runs while the machine sleeps. When it is set back, the keys are read at once.
  let lastLoad = { at: now().getTime(), validMs: maxAgeMs };
  const isDue = () => Math.abs(now().getTime() - lastLoad.at) >= lastLoad.validMs;
  let loading: Promise<void> | undefined;
  const reload = (): Promise<void> =>
    loadOpenKeys(db, vault)
      .then(
        (loaded) => {
          keys = loaded;
          lastLoad = { at: now().getTime(), validMs: maxAgeMs };
        },
        () => {
          lastLoad = { at: now().getTime(), validMs: RETRY_MS };
        },
      )
      .finally(() => {
        loading = undefined;
      });
  return {
    refresh: async () => {
      if (loading || isDue()) await (loading ??= reload());
    },
    current: () => signingKeyAt(keys, now())!,
    published: async () => (await findSigningKeys(db)).map(publicJwk),
  };
}

/** Returns the keys that this process can sign with, at least one, the newest first. Keys of a replica with another assertion key are left out. */
async function loadOpenKeys(db: OrgDb, vault: SigningKeyVault): Promise<SigningKey[]> {
  const keys = await openKeys(await findSigningKeys(db), vault);
  if (!nextSigningTime(keys[0]?.signsFrom, now())) return keys;
  await createSuccessor(db, vault);
  return openKeys(await findSigningKeys(db), vault);
}

async function openKeys(stored: readonly StoredSigningKey[], vault: SigningKeyVault): Promise<SigningKey[]> {
  const keys: SigningKey[] = [];
  for (const { kid, sealedKey, signsFrom } of stored) {
    const privateKey = vault.open(sealedKey);
    if (privateKey) keys.push({ kid, key: await importJWK(privateKey, "EdDSA"), signsFrom });
  }
  return keys;
}

/** Creates the next key unless another replica has; an advisory lock lets one replica do so at a time. */
async function createSuccessor(db: OrgDb, vault: SigningKeyVault): Promise<void> {
  const { privateKey: key } = await generateKeyPair("EdDSA", { extractable: true });
  const privateKey = await exportJWK(key);
  const kid = await calculateJwkThumbprint(privateKey);
  await transaction(db, async (tx) => {
    await tx.all(sql`select pg_advisory_xact_lock(hashtext(${"signing_key"}))`);
    const newest = (await findSigningKeys(tx)).find(({ sealedKey }) => vault.open(sealedKey));
    const signsFrom = nextSigningTime(newest?.signsFrom, now());
    if (!signsFrom) return;
    const successor = { kid, publicKey: publicHalf(privateKey), sealedKey: vault.seal(privateKey), signsFrom };
    await insertSuccessor(tx, successor, retirementOfPredecessors(signsFrom));
  });
}

function publicHalf(privateKey: JWK): JWK {
  const { d: _, ...publicKey } = privateKey;
  return publicKey;
}

const publicJwk = ({ kid, publicKey: { kty, crv, x } }: StoredSigningKey): Record<string, unknown> => ({ kty, crv, x, kid, alg: "EdDSA", use: "sig" });
