/** Short links for text messages. */
import { now } from "@freehold/kit/time/clock";
import { unscopedDb, type StatementRunner } from "@freehold/kit/db/org-db";
import { invalid, notFound } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { AnonymousCaller } from "../auth/anonymous-caller.ts";
import { getInvite } from "../auth/invites/invites.ts";
import type { Identity } from "../context.ts";
import { hashShortCode, decryptPath, encryptPath } from "./short-code.ts";

/** Permitted targets: only invite paths, to prevent open redirects. */
const INVITE_PATH = /^\/invites\/[\w.-]{1,300}$/;
const EXPIRED_BATCH_SIZE = 10;

/** Stores a short link to an invite path until `expiresAt` and returns its URL. Deterministic per path. */
export async function createShortLink(identity: Identity, db: StatementRunner, { path, expiresAt }: { path: string; expiresAt: string }): Promise<string> {
  if (!INVITE_PATH.test(path)) throw invalid([{ path: "path", code: "format", message: "Only the path of an invite can be shortened." }]);
  const code = identity.shortCodeOf(path);
  await db.all(sql`delete from short_link where code_hash in (
    select code_hash from short_link where expires_at < ${now()} order by expires_at limit ${EXPIRED_BATCH_SIZE} for update skip locked)`);
  await db.all(sql`insert into short_link (code_hash, sealed_path, expires_at) values (${hashShortCode(code)}, ${encryptPath(code, path)}, ${expiresAt})
    on conflict (code_hash) do update set expires_at = excluded.expires_at`);
  return identity.link(`/api/i/${code}`);
}

/** Returns the URL that a short link redirects to. Throws 404 for an unknown or expired code, and unless the invite is pending. */
export async function followShortLink(identity: Identity, code: string, caller: AnonymousCaller): Promise<string> {
  const db = unscopedDb(identity.database);
  const hash = hashShortCode(code);
  const row = hash && (await db.first(sql<{ sealedPath: string }>`select sealed_path from short_link where code_hash = ${hash} and expires_at > ${now()}`));
  if (!row) throw notFound("Link");
  const path = decryptPath(code, row.sealedPath);
  const { status } = await getInvite(identity, path.slice(path.lastIndexOf("/") + 1), caller);
  if (status !== "pending") throw notFound("Link");
  return identity.link(path);
}
