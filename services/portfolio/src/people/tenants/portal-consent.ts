/** Decisions of tenants on text messages, in their own account or by STOP and START, shown on the tenant beside those that the office records. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import type { EventOf, Once } from "@freehold/kit/events/subscriptions";
import { LockMode } from "@mikro-orm/core";
import type { OptOut } from "@freehold/proto/communications/v1/communications";
import type { User } from "@freehold/proto/identity/v1/identity";
import type { Clients } from "../../clients.ts";
import { publish } from "../../publish.ts";
import { Tenant } from "./tenant.entity.ts";

/** Phone number of an account in E.164, and the last decision of its user on text messages. */
export type AccountConsent = Pick<User, "phone" | "smsConsent">;

type ConsentColumns = Pick<Tenant, "smsConsentGranted" | "smsConsentAt" | "smsConsentSource">;

/** Returns the consent of an account, also of a deleted or inactive one, or undefined for an unknown one. */
export async function findAccountConsent(db: OrgDb, clients: Clients, userId: string): Promise<AccountConsent | undefined> {
  const { users } = await clients.identity.listRecipients(db, { roles: [], subjectIds: [], userIds: [userId], includeInactive: true });
  return users[0];
}

/**
 * Returns the columns of a decision in the account that counts for the recorded phone number: consent to this number, or to that of the account while none
 * is recorded, and each withdrawal.
 */
export function accountDecision(recordedPhone: string | null | undefined, { phone, smsConsent }: AccountConsent): ConsentColumns | undefined {
  if (!smsConsent) return undefined;
  const { isGranted, decidedAt } = smsConsent;
  if (isGranted && (phone === undefined || (recordedPhone ?? phone) !== phone)) return undefined;
  return { smsConsentGranted: isGranted, smsConsentAt: new Date(decidedAt), smsConsentSource: "portal" };
}

/** Records the decision in the tenant of the portal user, if it is later than the recorded one. Consent to a former number of the account ends. */
export async function recordAccountConsent(tx: OrgTx, userId: string, account: AccountConsent): Promise<void> {
  for (const tenant of await tx.find(Tenant, { userId, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })) {
    const decision = accountDecision(tenant.phone, account);
    if (decision && !(tenant.smsConsentAt && tenant.smsConsentAt >= decision.smsConsentAt!)) await changeConsent(tx, tenant, decision);
    else if (!decision && !tenant.phone && tenant.smsConsentGranted)
      await changeConsent(tx, tenant, { smsConsentGranted: false, smsConsentAt: null, smsConsentSource: null });
  }
}

/** Throws 409 when a phone number in E.164 has stopped text messages with STOP. */
export async function requireNotStopped(db: OrgDb, clients: Clients, phone: string): Promise<void> {
  if ((await clients.communications.findOptOuts(db, { ids: [], phones: [phone] })).optOuts.length > 0)
    throw conflict("The phone number has stopped text messages with STOP. Only START, sent from it, allows them again.", "invalid_transition");
}

/** Withdraws the consent of the tenants with a phone number by STOP, and restores it by START unless another decision was recorded since. */
export async function followTenantOptOut(
  db: OrgDb,
  clients: Clients,
  { entityId }: Pick<EventOf<"sms_opt_out.created">, "entityId">,
  once: Once,
): Promise<void> {
  const [optOut] = (await clients.communications.findOptOuts(db, { ids: [entityId], phones: [] })).optOuts;
  if (optOut) await once((tx) => recordOptOut(tx, optOut));
}

async function recordOptOut(tx: OrgTx, { phone, stoppedAt, endedAt }: OptOut): Promise<void> {
  const tenants = await tx.find(Tenant, { phone, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: "asc" } });
  for (const tenant of tenants) {
    // The account of the tenant may have followed STOP first.
    const isStopped = !tenant.smsConsentGranted && tenant.smsConsentAt?.getTime() === Date.parse(stoppedAt);
    if (endedAt === undefined && (tenant.smsConsentGranted || isStopped))
      await changeConsent(tx, tenant, { smsConsentGranted: false, smsConsentAt: new Date(stoppedAt), smsConsentSource: "STOP" });
    if (endedAt !== undefined && isStopped)
      await changeConsent(tx, tenant, { smsConsentGranted: true, smsConsentAt: new Date(endedAt), smsConsentSource: "START" });
  }
}

async function changeConsent(tx: OrgTx, tenant: Tenant, columns: ConsentColumns): Promise<void> {
  tx.assign(tenant, columns);
  await publish(tx, "tenant.updated", { entityId: tenant.id, data: {}, audience: { tenantIds: [tenant.id] } });
}
