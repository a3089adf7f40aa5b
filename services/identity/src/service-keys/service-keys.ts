/** Service keys: API credentials of programs. */
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { serviceKeys, ServiceKey as ServiceKeyView } from "@freehold/contract/identity/service-keys";
import { difference } from "@freehold/kit/db/change-tracking";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { conflict, invalid, notFound } from "@freehold/kit/errors";
import { recordAudit } from "../audit-log/audit.ts";
import { newClientSecret } from "./credentials.ts";
import { ServiceKey } from "./service-key.entity.ts";
import { countLiveKeys, findServiceKey, findServiceKeys, MAX_SERVICE_KEYS } from "./service-keys.queries.ts";

type Operations = typeof serviceKeys.operations;
const publish = eventPublisher("identity");
type WithSecret = Output<Operations["createServiceKey"]>;

/** Lists the organization's service keys. */
export const listServiceKeys = async (db: OrgDb): Promise<Output<Operations["listServiceKeys"]>> => ({ serviceKeys: await findServiceKeys(db) });

/** Creates a service key. The response is the only place with the secret. Throws 409 beyond 200 keys. */
export async function createServiceKey(db: OrgDb, { scopes, expiresAt, ...rest }: BodyOf<Operations["createServiceKey"]>): Promise<WithSecret> {
  if (expiresAt !== undefined && new Date(expiresAt) <= now())
    throw invalid([{ path: "expiresAt", code: "min", message: "expiresAt must be in the future. Omit it for a key that does not expire." }]);
  const { clientSecret, secretHash } = newClientSecret();
  return transaction(db, async (tx) => {
    if ((await countLiveKeys(tx)) >= MAX_SERVICE_KEYS)
      throw conflict(`An organization has at most ${MAX_SERVICE_KEYS} service keys. Revoke one that is no longer used.`, "resource_in_use");
    const row = { ...rest, id: newId(), scopes: scopes ?? null, secretHash, createdByUserId: db.principal.userId };
    const key = tx.create(ServiceKey, { ...row, expiresAt: expiresAt === undefined ? null : new Date(expiresAt), lastUsedAt: null, revokedAt: null });
    const serviceKey = await getServiceKeyView(tx, key.id);
    recordAudit(tx, { action: "service_key.created", entityType: "service_key", entityId: key.id, after: serviceKey });
    return { serviceKey, clientSecret };
  });
}

/** Replaces the secret of a key. The previous secret and the access tokens issued with it are invalid immediately. Throws 409 for a revoked key. */
export function rotateServiceKey(db: OrgDb, id: string): Promise<WithSecret> {
  const { clientSecret, secretHash } = newClientSecret();
  return transaction(db, async (tx) => {
    const key = await tx.getForUpdate(ServiceKey, id, "Service key");
    if (key.revokedAt) throw conflict("This service key was revoked. Create another one.", "invalid_transition");
    tx.assign(key, { secretHash, accessVersion: key.accessVersion + 1 });
    recordAudit(tx, { action: "service_key.rotated", entityType: "service_key", entityId: id });
    await publish(tx, "service_key.rotated", accessEvent(key));
    return { serviceKey: await getServiceKeyView(tx, id), clientSecret };
  });
}

/** Revokes a key and its access tokens permanently. Throws 404 for a revoked key. */
export const deleteServiceKey = (db: OrgDb, id: string): Promise<ServiceKeyView> =>
  transaction(db, async (tx) => {
    const key = await tx.getForUpdate(ServiceKey, id, "Service key", { revokedAt: null });
    const before = await getServiceKeyView(tx, id);
    tx.assign(key, { revokedAt: now(), accessVersion: key.accessVersion + 1 });
    const after = await getServiceKeyView(tx, id);
    recordAudit(tx, { action: "service_key.revoked", entityType: "service_key", entityId: id, ...difference(before, after) });
    await publish(tx, "service_key.revoked", accessEvent(key));
    return after;
  });

const accessEvent = ({ id, accessVersion }: ServiceKey) => ({ entityId: id, data: { accessVersion }, audience: { roles: ["admin" as const] } });

async function getServiceKeyView(tx: OrgTx, id: string): Promise<ServiceKeyView> {
  const serviceKey = await findServiceKey(tx, id);
  if (!serviceKey) throw notFound("Service key");
  return serviceKey;
}
