/** Takes charges off the books again: the entry is reversed, the row stays and says why. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { reverseEntries } from "../../journal/posting.ts";
import type { Charge } from "./charge.entity.ts";
import { requireVoidable } from "./charge.rules.ts";

const announce = eventPublisher("ledger");

/** Voids a locked charge that nothing is applied to; 409 otherwise. */
export async function takeOffTheBooks(tx: OrgTx, timezone: string, charge: Charge, reason: string): Promise<void> {
  const status = requireVoidable(charge);
  await reverseEntries(tx, timezone, [charge.entryId], { occurredAt: now(), memo: `Voided: ${charge.name}` });
  tx.assign(charge, { status, balanceCents: 0 as Charge["balanceCents"], voidedAt: now(), voidReason: reason });
  const { id, leaseId, tenantId, propertyId, unitId } = charge;
  await announce(tx, "charge.voided", { entityId: id, data: { leaseId, tenantId, propertyId, unitId }, audience: { tenantIds: [tenantId] } });
}
