/** Signing keys of access tokens, shared by all replicas. Private keys are stored only in the database. */
import { now } from "@freehold/kit/time/clock";
import { unscopedDb, type Database, type OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { sql } from "@freehold/kit/db/statement";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from "jose";

export interface SigningKeys {
  /** Key that signs new tokens. */
  current: { kid: string; key: CryptoKey | Uint8Array };
  /** Returns the public keys, as JWKs, of all tokens that may still be valid. */
  published(): Promise<Record<string, unknown>[]>;
}

interface Row {
  kid: string;
  privateKey: JWK;
}

const activeKeys = () => sql<Row>`select kid, private_key from signing_key where retires_at is null or retires_at > ${now()} order by created_at desc, kid`;

/** Loads the current signing key. Creates a key on the first start; an advisory lock lets only one replica create it. */
export async function loadSigningKeys(database: Database): Promise<SigningKeys> {
  const db = unscopedDb(database);
  const newest = (await db.first(activeKeys())) ?? (await createFirstKey(db));
  return {
    current: { kid: newest.kid, key: await importJWK(newest.privateKey, "EdDSA") },
    published: async () => (await db.all(activeKeys())).map(publicJwk),
  };
}

async function createFirstKey(db: OrgDb): Promise<Row> {
  const { privateKey: key } = await generateKeyPair("EdDSA", { extractable: true });
  const privateKey = await exportJWK(key);
  const kid = await calculateJwkThumbprint(privateKey);
  return transaction(db, async (tx) => {
    await tx.all(sql`select pg_advisory_xact_lock(hashtext(${"signing_key"}))`);
    const existing = await tx.first(activeKeys());
    if (existing) return existing;
    await tx.all(sql`insert into signing_key (kid, private_key, created_at) values (${kid}, ${JSON.stringify(privateKey)}, ${now()})`);
    return { kid, privateKey };
  });
}

const publicJwk = ({ kid, privateKey: { kty, crv, x } }: Row): Record<string, unknown> => ({ kty, crv, x, kid, alg: "EdDSA", use: "sig" });
