import { now } from "@freehold/kit/time/clock";
import { OrgDb } from "@freehold/kit/db/org-db";
import { unauthorized } from "@freehold/kit/errors";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import { readOrganization } from "../accounts/organization/organization.queries.ts";
import { LIFETIME_SECONDS } from "../auth/tokens/access-token.ts";
import type { AuthResult } from "../auth/tokens/sessions.ts";
import { requestContextOf, type AnonymousCaller } from "../auth/anonymous-caller.ts";
import type { Identity } from "../context.ts";
import { isClientSecret, readClientId } from "./credentials.ts";
import { findServiceKey, userOfKey } from "./service-keys.queries.ts";

interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** An access token for a key that is neither revoked nor expired. Why there is none is not told. */
export async function exchangeServiceKey(identity: Identity, credentials: Credentials, caller: AnonymousCaller): Promise<AuthResult> {
  const { throttle } = identity;
  await throttle.countKeyAddress(caller.address);
  await throttle.requireAttemptsLeft(credentials.clientId);
  const answer = await exchanged(identity, credentials, caller);
  await (answer ? throttle.resetFailures(credentials.clientId) : throttle.countFailure(credentials.clientId));
  if (!answer) throw wrongCredentials();
  return answer;
}

async function exchanged(identity: Identity, { clientId, clientSecret }: Credentials, caller: AnonymousCaller): Promise<AuthResult | undefined> {
  const claimed = readClientId(clientId);
  if (!claimed) return undefined;
  const { organizationId, keyId } = claimed;
  const db = new OrgDb(identity.database, systemPrincipal(organizationId), requestContextOf(caller));
  const kept = await db.first(sql<{ secretHash: string }>`select secret_hash from service_key where organization_id = ${organizationId} and id = ${keyId}`);
  if (!kept || !isClientSecret(clientSecret, kept.secretHash)) return undefined;
  // Only while it is still that secret: a rotation or a revocation that came between has the last word.
  const isInUse = await db.first(sql`update service_key set last_used_at = ${now()} where organization_id = ${organizationId} and id = ${keyId}
    and secret_hash = ${kept.secretHash} and revoked_at is null and (expires_at is null or expires_at > ${now()}) returning id`);
  const key = isInUse ? await findServiceKey(db, keyId) : undefined;
  if (!key) return undefined;
  const { id, name, slug, timezone } = await readOrganization(db);
  const user = userOfKey(db, key);
  const { isReadOnly, scopes } = key;
  const accessToken = await identity.accessTokens.issue(user, timezone, { isReadOnly, ...(scopes && { scopes }) });
  return { accessToken, tokenType: "Bearer", expiresIn: LIFETIME_SECONDS, user, organization: { id, name, slug, timezone } };
}

const wrongCredentials = () => unauthorized("The client id or the client secret is not right, or the key is no longer in use.", "credentials_invalid");
