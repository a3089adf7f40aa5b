import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import type { JWK } from "jose";

interface Row {
  kid: string;
  publicKey: JWK;
  sealedKey: string;
  signsFrom: string;
}

export type StoredSigningKey = Omit<Row, "signsFrom"> & { signsFrom: Date };

/** Returns the keys that are not retired, in descending order of the time from which they sign. */
export async function findSigningKeys(db: StatementRunner): Promise<StoredSigningKey[]> {
  const rows = await db.all(sql<Row>`select kid, public_key, sealed_key, signs_from from signing_key
    where sealed_key is not null and (retires_at is null or retires_at > ${now()}) order by signs_from desc, kid`);
  return rows.map((row) => ({ ...row, signsFrom: new Date(row.signsFrom) }));
}

/** Returns the keys that a former version stored with their private halves as they are. */
export const findClearKeys = (db: StatementRunner): Promise<{ kid: string; privateKey: JWK }[]> =>
  db.all(sql<{ kid: string; privateKey: JWK }>`select kid, private_key from signing_key where sealed_key is null`);

/** Replaces the private half of a key by its encrypted form. */
export async function storeSealedKey(db: StatementRunner, kid: string, sealedKey: string): Promise<void> {
  await db.all(sql`update signing_key set sealed_key = ${sealedKey}, private_key = public_key where kid = ${kid} and sealed_key is null`);
}

/** Inserts a key, sets the time at which the earlier ones are retired, and deletes the retired ones. */
export async function insertSuccessor(db: StatementRunner, { kid, publicKey, sealedKey, signsFrom }: StoredSigningKey, retiresAt: Date): Promise<void> {
  // Replicas of a former version publish the public half of `private_key`.
  await db.all(sql`insert into signing_key (kid, public_key, private_key, sealed_key, created_at, signs_from)
    values (${kid}, ${JSON.stringify(publicKey)}, ${JSON.stringify(publicKey)}, ${sealedKey}, ${now()}, ${signsFrom})`);
  await db.all(sql`update signing_key set retires_at = ${retiresAt} where kid <> ${kid} and (retires_at is null or retires_at > ${retiresAt})`);
  await db.all(sql`delete from signing_key where retires_at <= ${now()}`);
}
