import type { User as UserView } from "@freehold/contract/people/people";
import type { ServiceKey as ServiceKeyView } from "@freehold/contract/identity/service-keys";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { newUserDefaults } from "../accounts/users/new-user.ts";
import { clientIdOf } from "./credentials.ts";

/** Keys of an organization that are not revoked, and keys in a list. */
export const MAX_SERVICE_KEYS = 200;

type Row = Omit<ServiceKeyView, "clientId"> & { version: number };
const columns = sql`k.id, k.name, k.role, k.is_read_only, k.scopes, k.last_used_at, k.expires_at, k.created_at, k.revoked_at, k.version`;

const serviceKeyView = ({ organizationId }: StatementRunner, { version, ...row }: Row): ServiceKeyView =>
  withVersion({ ...row, clientId: clientIdOf(organizationId, row.id) }, version);

/** Returns a service key by id, including a revoked or expired one. */
export async function findServiceKey(db: StatementRunner, id: string): Promise<ServiceKeyView | undefined> {
  const row = await db.first(sql<Row>`select ${columns} from service_key k where k.organization_id = ${db.organizationId} and k.id = ${id}`);
  return row && serviceKeyView(db, row);
}

/** Returns the number of keys that are not revoked. The check of the caller has locked the organization, so that concurrent creations count each other. */
export async function countLiveKeys(db: StatementRunner): Promise<number> {
  const row = await db.first(
    sql<{ count: number }>`select count(*) as count from service_key k where k.organization_id = ${db.organizationId} and k.revoked_at is null`,
  );
  return row!.count;
}

/** Returns at most 200 keys: those that are not revoked, then the revoked ones, each newest first. */
export async function findServiceKeys(db: OrgDb): Promise<ServiceKeyView[]> {
  const rows = await db.all(sql<Row>`select ${columns} from service_key k where k.organization_id = ${db.organizationId}
    order by k.revoked_at is not null, k.created_at desc, k.id desc limit ${MAX_SERVICE_KEYS}`);
  return rows.map((row) => serviceKeyView(db, row));
}

/** Represents a service key as a user: the key's id and name, with an undeliverable e-mail address. */
export function userOfKey({ organizationId }: StatementRunner, { id, name, role, createdAt, revokedAt, lastUsedAt }: ServiceKeyView): UserView {
  const { smsConsentGranted, smsConsentAt, emailConsentGranted, emailConsentAt, passwordHash: _, accessVersion: __, ...defaults } = newUserDefaults;
  return {
    ...defaults,
    id,
    organizationId,
    email: `service-key-${id}@service-keys.invalid`,
    fullName: name,
    role,
    isActive: revokedAt === null,
    smsConsent: { granted: smsConsentGranted, at: smsConsentAt },
    emailConsent: { granted: emailConsentGranted, at: emailConsentAt },
    lastLoginAt: lastUsedAt,
    createdAt,
  };
}
