import type { accounts } from "@freehold/contract/identity/accounts";
import type { QueryOf } from "@freehold/contract/operation";
import type { User } from "@freehold/contract/people/people";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql } from "@freehold/kit/db/statement";

/** User columns; `userView` nests the consents. */
export type UserRow = Omit<User, "smsConsent" | "emailConsent"> & {
  smsConsentGranted: boolean;
  smsConsentAt: string | null;
  emailConsentGranted: boolean;
  emailConsentAt: string | null;
  accessVersion: number;
  version: number;
};

const columns = sql`u.id, u.organization_id, u.email, u.full_name, u.phone, u.role, u.subject_id, u.is_active, u.email_confirmed_at, u.onboarding_completed_at,
  u.locale, u.sms_consent_granted, u.sms_consent_at, u.email_consent_granted, u.email_consent_at, u.last_login_at, u.created_at, u.deleted_at, u.access_version, u.version`;

/** Returns a user by id, also a deleted one. */
export const findUser = (db: StatementRunner, id: string): Promise<UserRow | undefined> =>
  db.first(sql<UserRow>`select ${columns} from app_user u where u.organization_id = ${db.organizationId} and u.id = ${id}`);

/** Returns users by id, also deleted ones, whose names still appear in the history. */
export const findUsers = (db: StatementRunner, ids: readonly string[]): Promise<UserRow[]> =>
  db.all(sql<UserRow>`select ${columns} from app_user u where u.organization_id = ${db.organizationId} and u.id = any(${ids}::uuid[])`);

/** Returns the existing users with this e-mail address or this subject. */
export const findConflictingUsers = (db: StatementRunner, email: string, subjectId: string): Promise<UserRow[]> =>
  db.all(sql<UserRow>`select ${columns} from app_user u where u.organization_id = ${db.organizationId} and u.deleted_at is null
    and (u.email = ${email} or u.subject_id = ${subjectId})`);

/** Returns the active users, or those of any state, with one of the roles, subjects or ids. */
export const findRecipients = (
  db: StatementRunner,
  request: { roles: readonly string[]; subjectIds: readonly string[]; userIds: readonly string[]; includeInactive?: boolean | undefined },
): Promise<UserRow[]> =>
  db.all(sql<UserRow>`select ${columns} from app_user u where u.organization_id = ${db.organizationId} and (${request.includeInactive ?? false} or (u.deleted_at is null and u.is_active))
    and (u.role = any(${request.roles}::text[]) or u.subject_id = any(${request.subjectIds}::uuid[]) or u.id = any(${request.userIds}::uuid[])) order by u.id`);

/** Returns a page of users. */
export const listUserRows = (db: OrgDb, query: QueryOf<typeof accounts.operations.listUsers>): Promise<Page<UserRow>> =>
  listPage<UserRow>(db, query, {
    select: columns,
    from: sql`app_user u`,
    where: [
      ...listConditions(db, "u", query),
      query.search !== undefined && sql`(u.full_name ilike ${containsPattern(query.search)} or u.email ilike ${containsPattern(query.search)})`,
      query.role && sql`u.role = any(${[...query.role]}::text[])`,
      query.isActive !== undefined && sql`u.is_active = ${query.isActive}`,
    ],
    sorts: { fullName: sql`u.full_name`, email: sql`u.email`, role: sql`u.role`, lastLoginAt: sql`u.last_login_at`, createdAt: sql`u.created_at` },
    nullable: ["lastLoginAt"],
    table: "u",
  });
