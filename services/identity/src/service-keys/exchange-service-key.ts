import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { unauthorized } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import { getOrganizationRow } from "../accounts/organization/organization.queries.ts";
import { ACCESS_TOKEN_SECONDS } from "../auth/tokens/access-token.ts";
import type { AuthResult } from "../auth/tokens/sessions.ts";
import { requestContextOf, type AnonymousCaller } from "../auth/anonymous-caller.ts";
import type { Identity } from "../context.ts";
import { verifyClientSecret, parseClientId } from "./credentials.ts";
import { findServiceKey, userOfKey } from "./service-keys.queries.ts";

interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** Exchanges a service key for an access token. Throws 401 with one message for wrong credentials and for a revoked or expired key. */
export async function exchangeServiceKey(identity: Identity, credentials: Credentials, caller: AnonymousCaller): Promise<AuthResult> {
  const { throttle } = identity;
  const attempt = { login: credentials.clientId, clientAddress: caller.clientAddress, isKey: true };
  await throttle.requireAttemptsLeft(attempt);
  const response = await issueToken(identity, credentials, caller);
  await (response ? throttle.resetFailures(attempt) : throttle.countFailure(attempt));
  if (!response) throw wrongCredentials();
  return response;
}

async function issueToken(identity: Identity, { clientId, clientSecret }: Credentials, caller: AnonymousCaller): Promise<AuthResult | undefined> {
  const ids = parseClientId(clientId);
  if (!ids) return undefined;
  const { organizationId, keyId } = ids;
  const db = new OrgDb(identity.database, systemPrincipal(organizationId), requestContextOf(caller));
  const stored = await db.first(sql<{ secretHash: string }>`select secret_hash from service_key where organization_id = ${organizationId} and id = ${keyId}`);
  if (!stored || !verifyClientSecret(clientSecret, stored.secretHash)) return undefined;
  // Compares the hash again, so that a concurrent rotation or revocation takes effect.
  const updated = await db.first(sql<{
    accessVersion: number;
  }>`update service_key set last_used_at = ${now()} where organization_id = ${organizationId} and id = ${keyId}
    and secret_hash = ${stored.secretHash} and revoked_at is null and (expires_at is null or expires_at > ${now()}) returning access_version`);
  const key = updated && (await findServiceKey(db, keyId));
  if (!key) return undefined;
  const { id, name, slug, timezone } = await getOrganizationRow(db);
  const user = userOfKey(db, key);
  const { isReadOnly, scopes, expiresAt } = key;
  const claims = { accessVersion: updated.accessVersion, isReadOnly, ...(scopes && { scopes }) };
  const expiresIn = tokenLifetime(expiresAt);
  const accessToken = await identity.accessTokens.issue(user, timezone, claims, expiresIn);
  return { accessToken, tokenType: "Bearer", expiresIn, user, organization: { id, name, slug, timezone } };
}

/** Returns the seconds for which a token of a key is valid: at most until the key expires. */
const tokenLifetime = (keyExpiresAt: string | null): number =>
  keyExpiresAt === null ? ACCESS_TOKEN_SECONDS : Math.max(1, Math.min(ACCESS_TOKEN_SECONDS, Math.floor((Date.parse(keyExpiresAt) - now().getTime()) / 1000)));

const wrongCredentials = () =>
  unauthorized("The client id or the client secret is wrong, or the key is no longer in use. Check both, or rotate the key.", "credentials_invalid");
