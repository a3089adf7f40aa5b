/** Short addresses of links that are too long for a text message. */
import { now } from "@freehold/kit/time/clock";
import { unscopedDb, type StatementRunner } from "@freehold/kit/db/org-db";
import { invalid, notFound } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Identity } from "../context.ts";
import { hashShortCode, decryptPath, encryptPath } from "./short-code.ts";

/** Nothing else may be led to: a short link is no way to any page. */
const SHORTENED = /^\/invites\/[\w.-]{1,300}$/;
const FORGOTTEN_AT_ONCE = 10;

/** The short address of an invite's path, until the invite expires. The same path has the same one. */
export async function createShortLink(identity: Identity, db: StatementRunner, { path, expiresAt }: { path: string; expiresAt: string }): Promise<string> {
  if (!SHORTENED.test(path)) throw invalid([{ path: "path", code: "format", message: "Only the path of an invite has a short link." }]);
  const code = identity.shortCodes(path);
  await db.all(sql`delete from short_link where code_hash in (
    select code_hash from short_link where expires_at < ${now()} order by expires_at limit ${FORGOTTEN_AT_ONCE} for update skip locked)`);
  await db.all(sql`insert into short_link (code_hash, sealed_path, expires_at) values (${hashShortCode(code)}, ${encryptPath(code, path)}, ${expiresAt})
    on conflict (code_hash) do update set expires_at = excluded.expires_at`);
  return identity.link(`/api/i/${code}`);
}

/** Where a short link leads; 404 once that has expired, and for every other code. */
export async function followShortLink(identity: Identity, code: string): Promise<string> {
  const db = unscopedDb(identity.database);
  const hash = hashShortCode(code);
  const found = hash && (await db.first(sql<{ sealedPath: string }>`select sealed_path from short_link where code_hash = ${hash} and expires_at > ${now()}`));
  if (!found) throw notFound("Link");
  return identity.link(decryptPath(code, found.sealedPath));
}
