/**
 * Idempotency keys. The claim of a key, the effects and the response commit together, so a key either has a complete
 * response or was never used. A duplicate request waits for the first one and replays its response.
 */
import { createHash } from "node:crypto";
import { conflict, isRefusal, unavailable } from "../errors.ts";
import type { IdempotencyClaim, OrgDb } from "./org-db.ts";
import type { OrgTx } from "./org-tx.ts";
import { sql } from "./statement.ts";

const LOCK_TIMEOUT = "55P03";

/** Thrown to answer a repeated request with the stored response of the first one. */
export class IdempotentReplay {
  readonly body: string;
  constructor(body: string) {
    this.body = body;
  }
}

/** Returns true for an error of a transaction that was certainly not committed. After a lost connection it may have been. */
export const isNotCommitted = (error: unknown): boolean => error instanceof IdempotentReplay || isRefusal(error);

/** Digest of a request that ignores the order of members and members that are null. */
export const fingerprint = (value: unknown): string => createHash("sha256").update(canonical(value)).digest("hex");

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  return `{${members
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`)
    .join()}}`;
}

export const keyReused = () =>
  conflict("This idempotency key was used for a different request. Use a new key, or repeat the first request unchanged.", "idempotency_key_reused", [
    { path: "idempotencyKey", code: "unique", message: "This key was used for a different request." },
  ]);

/** The idempotency keys claimed by a transaction. */
export interface ClaimedKeys {
  /**
   * Runs the work for the requests, given by index, whose key is new, and for those without a key. Returns one result per
   * request: its own, or an `IdempotentReplay` of the stored response for a used or repeated key.
   */
  runOnce(claims: readonly (IdempotencyClaim | undefined)[], work: (indexes: readonly number[]) => Promise<readonly unknown[]>): Promise<unknown[]>;
  /** Stores the responses of this transaction with their keys. */
  storeResponses(): Promise<void>;
}

interface StoredResponse extends IdempotencyClaim {
  answer: string;
}

const claimId = ({ userId, operation, key }: IdempotencyClaim) => `${userId} ${operation} ${key}`;

/** Claims keys for this transaction, waiting for transactions that hold one of them. */
export async function claimKeys(tx: OrgTx, claims: readonly IdempotencyClaim[]): Promise<ClaimedKeys> {
  const responses = new Map<string, string>();
  const added: StoredResponse[] = [];
  const distinct = [...new Map(claims.map((claim) => [claimId(claim), claim])).values()];
  if (distinct.length > 0) for (const stored of await insertClaims(tx, distinct)) responses.set(claimId(stored), stored.answer);
  return {
    async runOnce(requests, work) {
      const ids = requests.map((claim) => claim && claimId(claim));
      const isNew = (id: string | undefined, index: number) => id === undefined || (!responses.has(id) && ids.indexOf(id) === index);
      const indexes = ids.flatMap((id, index) => (isNew(id, index) ? [index] : []));
      const results = indexes.length > 0 ? await work(indexes) : [];
      const resultAt = new Map(indexes.map((index, position) => [index, results[position]]));
      for (const [index, result] of resultAt) {
        const claim = requests[index];
        if (!claim) continue;
        const answer = JSON.stringify(result);
        responses.set(claimId(claim), answer);
        added.push({ ...claim, answer });
      }
      return ids.map((id, index) => (resultAt.has(index) ? resultAt.get(index) : new IdempotentReplay(responses.get(id!)!)));
    },
    async storeResponses() {
      if (added.length === 0) return;
      await tx.all(sql`update idempotency_key k set answer = claim.answer from ${claimRows(added)}
        where k.organization_id = ${tx.organizationId} and k.user_id = claim.user_id and k.operation = claim.operation and k.key = claim.key`);
    },
  };
}

const claimRows = (rows: readonly (IdempotencyClaim & { answer?: string })[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(
    rows.map(({ userId, isPermanent = false, ...row }) => ({ user_id: userId, is_permanent: isPermanent, ...row })),
  )}::jsonb) as claim (user_id uuid, operation text, key text, fingerprint text, is_permanent boolean, answer text)`;

/** Inserts claims in a fixed order, so that two transactions cannot deadlock, and returns the stored responses of used keys. */
async function insertClaims(tx: OrgTx, claims: readonly IdempotencyClaim[]): Promise<StoredResponse[]> {
  const inserted = await tx
    .all(sql<IdempotencyClaim>`insert into idempotency_key (organization_id, user_id, operation, key, fingerprint, created_at)
      select ${tx.organizationId}, user_id, operation, key, fingerprint, case when is_permanent then 'infinity' else now() end
      from ${claimRows(claims)} order by user_id, operation, key
      on conflict (organization_id, user_id, operation, key) do update set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
        where idempotency_key.created_at < now() - interval '24 hours'
      returning user_id, operation, key`)
    .catch((error: { code?: string }) => {
      throw error.code === LOCK_TIMEOUT ? unavailable(error, "idempotency_in_progress") : error;
    });
  if (inserted.length > 0) await deleteExpiredKeys(tx);
  if (inserted.length === claims.length) return [];
  const ownIds = new Set(inserted.map(claimId));
  const used = claims.filter((claim) => !ownIds.has(claimId(claim)));
  const stored = await tx.all(sql<StoredResponse>`select k.user_id, k.operation, k.key, k.fingerprint, k.answer
    from idempotency_key k join ${claimRows(used)} on k.user_id = claim.user_id and k.operation = claim.operation and k.key = claim.key
    where k.organization_id = ${tx.organizationId} and k.fingerprint = claim.fingerprint`);
  if (stored.length < used.length) throw keyReused();
  return stored;
}

/** Throws the replay of a repeated request, before work that only a new one needs, such as checks of what the first has used up. */
export async function replayStored(db: OrgDb): Promise<void> {
  const claim = db.request.idempotency;
  if (!claim) return;
  const stored = await db.first(sql<{ answer: string | null }>`select answer from idempotency_key where organization_id = ${db.organizationId}
    and user_id = ${claim.userId} and operation = ${claim.operation} and key = ${claim.key} and fingerprint = ${claim.fingerprint}
    and created_at >= now() - interval '24 hours'`);
  if (stored?.answer) throw new IdempotentReplay(stored.answer);
}

/**
 * Extends the stored response of an idempotent write after its commit, for instance with figures of another service. A replayed
 * response is extended in the same way, so `complete` must have no effect of its own.
 */
export async function completeAfterCommit<S, T = S>(write: Promise<S>, complete: (stored: S) => Promise<T>): Promise<T> {
  const response = await write.catch(async (thrown: unknown) => {
    throw thrown instanceof IdempotentReplay ? new IdempotentReplay(JSON.stringify(await complete(JSON.parse(thrown.body) as S))) : thrown;
  });
  return complete(response);
}

/** Deletes a few expired keys; each new key does so, which bounds the table without a job. */
async function deleteExpiredKeys(tx: OrgTx): Promise<void> {
  await tx.all(sql`delete from idempotency_key where organization_id = ${tx.organizationId} and (user_id, operation, key) in (
    select user_id, operation, key from idempotency_key where organization_id = ${tx.organizationId} and created_at < now() - interval '24 hours'
    order by created_at limit 10 for update skip locked)`);
}
