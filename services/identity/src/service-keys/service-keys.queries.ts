import type { User as UserView } from "@freehold/contract/people/people";
import type { ServiceKey as ServiceKeyView } from "@freehold/contract/identity/service-keys";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { newUserDefaults } from "../accounts/users/new-user.ts";
import { clientIdOf } from "./credentials.ts";

const SHOWN_AT_MOST = 200;

type Row = Omit<ServiceKeyView, "clientId"> & { version: number };
const columns = sql`k.id, k.name, k.role, k.is_read_only, k.scopes, k.last_used_at, k.expires_at, k.created_at, k.revoked_at, k.version`;

const serviceKeyView = ({ organizationId }: StatementRunner, { version, ...row }: Row): ServiceKeyView =>
  withVersion({ ...row, clientId: clientIdOf(organizationId, row.id) }, version);

/** A key by id, revoked or not. */
export async function findServiceKey(db: StatementRunner, id: string): Promise<ServiceKeyView | undefined> {
  const row = await db.first(sql<Row>`select ${columns} from service_key k where k.organization_id = ${db.organizationId} and k.id = ${id}`);
  return row && serviceKeyView(db, row);
}

/** The keys in use first, then the revoked ones, the newest of each first. */
export async function findServiceKeys(db: OrgDb): Promise<ServiceKeyView[]> {
  const rows = await db.all(sql<Row>`select ${columns} from service_key k where k.organization_id = ${db.organizationId}
    order by k.revoked_at is not null, k.created_at desc, k.id desc limit ${SHOWN_AT_MOST}`);
  return rows.map((row) => serviceKeyView(db, row));
}

/** The key as whoever signs in with it: a user that bears its id and name, and an address that nobody can have. */
export function userOfKey({ organizationId }: StatementRunner, { id, name, role, createdAt, revokedAt, lastUsedAt }: ServiceKeyView): UserView {
  const { smsConsentGranted, smsConsentAt, emailConsentGranted, emailConsentAt, passwordHash: _, ...nobody } = newUserDefaults;
  return {
    ...nobody,
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
