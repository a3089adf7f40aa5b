/** Phone numbers that have stopped text messages with STOP: the consent of their users ends until START. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import type { EventOf, Once } from "@freehold/kit/events/subscriptions";
import { LockMode } from "@mikro-orm/core";
import type { OptOut } from "@freehold/proto/communications/v1/communications";
import { getUserView, recordUserChange } from "../accounts/users/user-changes.ts";
import { User } from "../accounts/users/user.entity.ts";
import type { Clients } from "../clients.ts";
import { changeConsents } from "./consents.ts";

/** Tells whether a phone number in E.164 has stopped text messages. */
export const hasStoppedSms = async (db: OrgDb, clients: Clients, phone: string): Promise<boolean> =>
  (await clients.communications.findOptOuts(db, { ids: [], phones: [phone] })).optOuts.length > 0;

/** Throws 409 when a phone number in E.164 has stopped text messages. */
export async function requireOwnPhoneNotStopped(db: OrgDb, clients: Clients, phone: string): Promise<void> {
  if (await hasStoppedSms(db, clients, phone))
    throw conflict("Your phone number has stopped text messages with STOP. Send START from it to receive them again.", "invalid_transition");
}

/** Withdraws the consent of the users of a phone number with STOP, and restores it with START unless another decision was made since. */
export async function followUserOptOut(db: OrgDb, clients: Clients, { entityId }: Pick<EventOf<"sms_opt_out.created">, "entityId">, once: Once): Promise<void> {
  const [optOut] = (await clients.communications.findOptOuts(db, { ids: [entityId], phones: [] })).optOuts;
  if (optOut) await once((tx) => applyOptOut(tx, optOut));
}

async function applyOptOut(tx: OrgTx, { phone, stoppedAt, endedAt }: OptOut): Promise<void> {
  const users = await tx.find(User, { phone, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: "asc" } });
  for (const user of users) {
    const isStopped = !user.smsConsentGranted && user.smsConsentAt?.getTime() === Date.parse(stoppedAt);
    if (endedAt === undefined ? !user.smsConsentGranted : !isStopped) continue;
    const before = await getUserView(tx, user.id);
    changeConsents(tx, user, { sms: endedAt !== undefined }, endedAt === undefined ? "STOP" : "START", new Date(endedAt ?? stoppedAt));
    await recordUserChange(tx, "user.consent_changed", before);
  }
}
