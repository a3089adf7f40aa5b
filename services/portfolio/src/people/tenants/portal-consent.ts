/** Decisions of tenants on text messages in their own account, shown on the tenant beside those that the office records. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { LockMode } from "@mikro-orm/core";
import type { Clients } from "../../clients.ts";
import { publish } from "../../publish.ts";
import { Tenant } from "./tenant.entity.ts";

interface PortalConsent {
  /** Phone number of the account in E.164. */
  phone: string;
  isGranted: boolean;
  decidedAt: Date;
}

/** Returns the last decision of an active portal user on text messages, or undefined without one. */
export async function findPortalConsent(db: OrgDb, clients: Clients, userId: string): Promise<PortalConsent | undefined> {
  const [user] = (await clients.identity.listRecipients(db, { roles: [], subjectIds: [], userIds: [userId] })).users;
  if (user?.phone === undefined || !user.smsConsent) return undefined;
  const { isGranted, decidedAt } = user.smsConsent;
  return { phone: user.phone, isGranted, decidedAt: new Date(decidedAt) };
}

/** Records a decision in the tenant of the portal user, if it is for the phone number of the tenant and later than the recorded one. */
export async function recordPortalConsent(tx: OrgTx, userId: string, { phone, isGranted, decidedAt }: PortalConsent): Promise<void> {
  for (const tenant of await tx.find(Tenant, { userId, phone, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE })) {
    if (tenant.smsConsentAt && tenant.smsConsentAt >= decidedAt) continue;
    tx.assign(tenant, { smsConsentGranted: isGranted, smsConsentAt: decidedAt, smsConsentSource: "portal" });
    await publish(tx, "tenant.updated", { entityId: tenant.id, data: {} });
  }
}
