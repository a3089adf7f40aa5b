/**
 * The header `Idempotency-Key` on operations that move money or send messages: the claim, the effect and the answer
 * commit together, so a key either has its whole answer or was never used. A duplicate waits for the first and replays it.
 */
import { createHash } from "node:crypto";
import type { OrgTx } from "./db.ts";
import { conflict, unavailable } from "./errors.ts";
import { sql } from "./statement.ts";

export interface IdempotencyClaim {
  key: string;
  userId: string;
  /** Method and path: the same key on another operation is another key. */
  operation: string;
  /** Digest of the validated body. */
  fingerprint: string;
  /** Kept for good instead of for 24 hours; the key alone says that it is the same request. */
  isKept?: boolean;
}

/** Thrown to end a repeated request with the bytes that the first one was answered. */
export class Replay {
  readonly body: string;
  constructor(body: string) {
    this.body = body;
  }
}

/** A digest that ignores the order of members: equal requests have equal fingerprints, and no others do. */
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

/** Takes the key for this transaction, waiting for another one that holds it; replays what that one answered. */
export async function claim(tx: OrgTx, { key, userId, operation, fingerprint, isKept = false }: IdempotencyClaim): Promise<void> {
  const taken = await tx
    .all(sql`insert into idempotency_key (organization_id, user_id, operation, key, fingerprint, created_at)
      values (${tx.organizationId}, ${userId}, ${operation}, ${key}, ${fingerprint}, ${isKept ? sql`'infinity'` : sql`now()`})
      on conflict (organization_id, user_id, operation, key) do update set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
        where idempotency_key.created_at < now() - interval '24 hours'
      returning key`)
    .catch((error: { code?: string }) => {
      throw error.code === "55P03" ? unavailable(error, "idempotency_in_progress") : error;
    });
  if (taken.length > 0) return forgetOld(tx);
  const earlier = await tx.first(sql<{ fingerprint: string; answer: string }>`select fingerprint, answer from idempotency_key
    where organization_id = ${tx.organizationId} and user_id = ${userId} and operation = ${operation} and key = ${key}`);
  if (!earlier || (!isKept && earlier.fingerprint !== fingerprint)) throw keyReused();
  throw new Replay(earlier.answer);
}

/** Keeps the answer beside the effect. */
export async function complete(tx: OrgTx, { key, userId, operation }: IdempotencyClaim, answer: unknown): Promise<void> {
  await tx.all(sql`update idempotency_key set answer = ${JSON.stringify(answer)}
    where organization_id = ${tx.organizationId} and user_id = ${userId} and operation = ${operation} and key = ${key}`);
}

/**
 * Completes the answer of an idempotent unit of work after its commit. A repeated request is completed the same way,
 * so the second half must have no second effect.
 */
export async function completed<T>(work: Promise<T>, complete: (answer: T) => Promise<T>): Promise<T> {
  const answer = await work.catch(async (thrown: unknown) => {
    throw thrown instanceof Replay ? new Replay(JSON.stringify(await complete(JSON.parse(thrown.body) as T))) : thrown;
  });
  return complete(answer);
}

/** Each new key lets a few old ones go, so that none is kept much longer than promised. */
async function forgetOld(tx: OrgTx): Promise<void> {
  await tx.all(sql`delete from idempotency_key where organization_id = ${tx.organizationId} and (user_id, operation, key) in (
    select user_id, operation, key from idempotency_key where organization_id = ${tx.organizationId} and created_at < now() - interval '24 hours'
    order by created_at limit 10 for update skip locked)`);
}
