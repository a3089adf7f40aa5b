/** The keys that access tokens are signed with: made once for all replicas, private halves in the database only. */
import { now } from "@freehold/kit/time/clock";
import { unscopedDb, type Database, type OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { sql } from "@freehold/kit/db/statement";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from "jose";

export interface SigningKeys {
  /** What new tokens are signed with. */
  current: { kid: string; key: CryptoKey | Uint8Array };
  /** The public halves of all keys whose tokens may still be about. */
  published(): Promise<Record<string, unknown>[]>;
}

interface Row {
  kid: string;
  privateKey: JWK;
}

const usable = () => sql<Row>`select kid, private_key from signing_key where retires_at is null or retires_at > ${now()} order by created_at desc, kid`;

/** Opens the current key, making it on the very first start; of several replicas that start together one makes it. */
export async function openSigningKeys(database: Database): Promise<SigningKeys> {
  const db = unscopedDb(database);
  const first = (await db.first(usable())) ?? (await makeFirst(db));
  return {
    current: { kid: first.kid, key: await importJWK(first.privateKey, "EdDSA") },
    published: async () => (await db.all(usable())).map(publicHalf),
  };
}

async function makeFirst(db: OrgDb): Promise<Row> {
  const { privateKey: key } = await generateKeyPair("EdDSA", { extractable: true });
  const privateKey = await exportJWK(key);
  const kid = await calculateJwkThumbprint(privateKey);
  return transaction(db, async (tx) => {
    await tx.all(sql`select pg_advisory_xact_lock(hashtext(${"signing_key"}))`);
    const earlier = await tx.first(usable());
    if (earlier) return earlier;
    await tx.all(sql`insert into signing_key (kid, private_key, created_at) values (${kid}, ${JSON.stringify(privateKey)}, ${now()})`);
    return { kid, privateKey };
  });
}

const publicHalf = ({ kid, privateKey: { kty, crv, x } }: Row): Record<string, unknown> => ({ kty, crv, x, kid, alg: "EdDSA", use: "sig" });
