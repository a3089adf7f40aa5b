/** The caller's own user: profile, phone, consents and onboarding. */
import { operations } from "@freehold/contract/index";
import type { auth } from "@freehold/contract/identity/auth";
import type { me } from "@freehold/contract/identity/me";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { User as UserView } from "@freehold/contract/people/people";
import type { Role } from "@freehold/contract/roles";
import { missingKeyScope, type ServiceKey } from "@freehold/contract/identity/service-keys";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, notFound } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { normalizePhone } from "@freehold/domain/phone";
import { Organization } from "../accounts/organization/organization.entity.ts";
import { getOrganizationRow } from "../accounts/organization/organization.queries.ts";
import { requireValidSettings } from "../accounts/organization/organization.rules.ts";
import { getUserView, recordUserChange } from "../accounts/users/user-changes.ts";
import { User } from "../accounts/users/user.entity.ts";
import { userView } from "../accounts/users/user.view.ts";
import { findUser } from "../accounts/users/users.queries.ts";
import { recordAudit } from "../audit-log/audit.ts";
import { findServiceKey, userOfKey } from "../service-keys/service-keys.queries.ts";
import type { Clients } from "../clients.ts";
import { changeConsents, changePhone } from "./consents.ts";
import { requireOwnPhoneNotStopped } from "./sms-opt-outs.ts";

type Operations = typeof me.operations;
const publish = eventPublisher("identity");

/** Returns the ids of the public operations and of those that the role, and the service key if given, may call. */
export const permissionsOf = (role: Role, key?: ServiceKey): string[] =>
  operations
    .filter((entry) => entry.operation.access === "public" || (entry.operation.access.includes(role) && (!key || missingKeyScope(key, entry) === undefined)))
    .map(({ id }) => id);

/** Returns the user id or service key id of the caller's token. Throws 404 for a system principal. */
export function callerUserId(db: OrgDb): string {
  if (db.principal.userId === null) throw notFound("User");
  return db.principal.userId;
}

async function getCaller(db: OrgDb): Promise<{ user: UserView; key?: ServiceKey }> {
  const id = callerUserId(db);
  const user = await findUser(db, id);
  if (user) return { user: userView(user) };
  const key = await findServiceKey(db, id);
  if (key) return { user: userOfKey(db, key), key };
  throw notFound("User");
}

/** Returns the caller's user, organization and permitted operations. */
export async function getMe(db: OrgDb): Promise<Output<typeof auth.operations.getMe>> {
  const { user, key } = await getCaller(db);
  const { id, name, slug, timezone } = await getOrganizationRow(db);
  return { user, organization: { id, name, slug, timezone }, permissions: permissionsOf(db.principal.role as Role, key) };
}

/** Updates the given name and locale. */
export function updateMe(db: OrgDb, changes: BodyOf<Operations["updateMe"]>): Promise<UserView> {
  requireValidSettings({ locale: changes.locale });
  return changeMe(db, "user.updated", (tx, user) => void tx.assign(user, omitUndefined(changes)));
}

/** Changes the phone number, normalized to E.164. A different number withdraws the SMS consent. */
export function changeMyPhone(db: OrgDb, { phone }: BodyOf<Operations["changeMyPhone"]>): Promise<UserView> {
  const normalizedPhone = normalizePhone("phone", phone);
  return changeMe(db, "user.updated", (tx, user) => changePhone(tx, user, normalizedPhone));
}

/** Grants or withdraws the given consents and records the proof. Throws 409 for consent to text messages to a phone number that has stopped them. */
export async function changeMyConsent(db: OrgDb, clients: Clients, body: BodyOf<Operations["changeMyConsent"]>): Promise<UserView> {
  const { smsConsent, emailConsent, source = "account" } = body;
  const phone = smsConsent ? (await findUser(db, callerUserId(db)))?.phone : undefined;
  if (phone) await requireOwnPhoneNotStopped(db, clients, phone);
  return changeMe(db, "user.consent_changed", (tx, user) => changeConsents(tx, user, { sms: smsConsent, email: emailConsent }, source));
}

/** Completes the caller's onboarding; for an admin also the organization's. Throws 409 when already completed. */
export const completeOnboarding = (db: OrgDb, { steps }: BodyOf<Operations["completeOnboarding"]>): Promise<UserView> =>
  changeMe(db, "user.onboarding_completed", async (tx, user) => {
    if (user.onboardingCompletedAt) throw conflict("The onboarding has already been completed. No further step is required.", "invalid_transition");
    const at = now();
    tx.assign(user, { onboardingCompletedAt: at });
    if (user.role === "admin") await completeOrganizationOnboarding(tx, at);
    return { steps: steps ?? {} };
  });

async function completeOrganizationOnboarding(tx: OrgTx, at: Date): Promise<void> {
  const organization = await tx.getForUpdate(Organization, tx.organizationId, "Organization");
  if (organization.onboardingCompletedAt) return;
  tx.assign(organization, { onboardingCompletedAt: at });
  const after = { onboardingCompletedAt: at.toISOString() };
  recordAudit(tx, { action: "organization.updated", entityType: "organization", entityId: organization.id, before: { onboardingCompletedAt: null }, after });
  await publish(tx, "organization.updated", { entityId: organization.id, data: { changed: ["onboardingCompletedAt"] } });
}

/** Locks the caller's user row and applies a change. The object that `change` returns is added to the audit entry. */
const changeMe = (db: OrgDb, action: string, change: (tx: OrgTx, user: User) => Promise<object> | void): Promise<UserView> =>
  transaction(db, async (tx) => {
    const user = await tx.getForUpdate(User, callerUserId(db), "User", { deletedAt: null });
    const before = await getUserView(tx, user.id);
    const details = await change(tx, user);
    return recordUserChange(tx, action, before, details ?? {});
  });
