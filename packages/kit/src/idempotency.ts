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

/** The keys of what a transaction does. */
export interface Keys {
  /**
   * Does the work of those that were not done before, told by their places, together; answers what each returned, in their
   * order. Those that were done before, or stand there twice, answer with what was answered. Whoever has no key is always done.
   */
  once(claims: readonly (IdempotencyClaim | undefined)[], work: (places: readonly number[]) => Promise<readonly unknown[]>): Promise<unknown[]>;
  /** Keeps the answers beside the effects. */
  complete(): Promise<void>;
}

const nameOf = ({ userId, operation, key }: IdempotencyClaim) => `${userId} ${operation} ${key}`;

/** Takes keys for this transaction, waiting for others that hold one of them. */
export async function claim(tx: OrgTx, claims: readonly IdempotencyClaim[]): Promise<Keys> {
  const answers = new Map<string, string>();
  const fresh: (IdempotencyClaim & { answer: string })[] = [];
  const distinct = [...new Map(claims.map((each) => [nameOf(each), each])).values()];
  if (distinct.length > 0) for (const earlier of await take(tx, distinct)) answers.set(nameOf(earlier), earlier.answer);
  return {
    async once(asked, work) {
      const names = asked.map((each) => each && nameOf(each));
      const isNew = (name: string | undefined, place: number) => name === undefined || (!answers.has(name) && names.indexOf(name) === place);
      const places = names.flatMap((name, place) => (isNew(name, place) ? [place] : []));
      const done = places.length > 0 ? await work(places) : [];
      const answered = new Map(places.map((place, at) => [place, done[at]]));
      for (const [place, answer] of answered) {
        const one = asked[place];
        if (!one) continue;
        const text = JSON.stringify(answer);
        answers.set(nameOf(one), text);
        fresh.push({ ...one, answer: text });
      }
      return names.map((name, place) => (answered.has(place) ? answered.get(place) : new Replay(answers.get(name!)!)));
    },
    async complete() {
      if (fresh.length === 0) return;
      await tx.all(sql`update idempotency_key k set answer = given.answer from ${given(fresh)}
        where k.organization_id = ${tx.organizationId} and k.user_id = given.user_id and k.operation = given.operation and k.key = given.key`);
    },
  };
}

const given = (rows: readonly (IdempotencyClaim & { answer?: string })[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(
    rows.map(({ userId, isKept = false, ...row }) => ({ user_id: userId, is_kept: isKept, ...row })),
  )}::jsonb) as given (user_id uuid, operation text, key text, fingerprint text, is_kept boolean, answer text)`;

/** Takes keys in one order, so that two who want the same ones cannot block each other for ever; answers those that were used before. */
async function take(tx: OrgTx, claims: readonly IdempotencyClaim[]): Promise<(IdempotencyClaim & { answer: string })[]> {
  const taken = await tx
    .all(sql<IdempotencyClaim>`insert into idempotency_key (organization_id, user_id, operation, key, fingerprint, created_at)
      select ${tx.organizationId}, user_id, operation, key, fingerprint, case when is_kept then 'infinity' else now() end from ${given(claims)} order by user_id, operation, key
      on conflict (organization_id, user_id, operation, key) do update set fingerprint = excluded.fingerprint, answer = null, created_at = excluded.created_at
        where idempotency_key.created_at < now() - interval '24 hours'
      returning user_id, operation, key`)
    .catch((error: { code?: string }) => {
      throw error.code === "55P03" ? unavailable(error, "idempotency_in_progress") : error;
    });
  if (taken.length > 0) await forgetOld(tx);
  if (taken.length === claims.length) return [];
  const ours = new Set(taken.map(nameOf));
  const used = claims.filter((each) => !ours.has(nameOf(each)));
  const earlier = await tx.all(sql<IdempotencyClaim & { answer: string }>`select k.user_id, k.operation, k.key, k.fingerprint, k.answer
    from idempotency_key k join ${given(used)} on k.user_id = given.user_id and k.operation = given.operation and k.key = given.key
    where k.organization_id = ${tx.organizationId} and (given.is_kept or k.fingerprint = given.fingerprint)`);
  if (earlier.length < used.length) throw keyReused();
  return earlier;
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
