import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { chargeEvents } from "../charges/charge-event.ts";
import type { Charge } from "../charges/charge.entity.ts";
import { voidLockedCharge } from "../charges/void-locked-charge.ts";

const publish = eventPublisher("ledger");

/** Voids a locked late fee without credits on a day, so that the day it was assessed for can be charged again. */
export async function supersedeLateFee(tx: OrgTx, timezone: string, fee: Charge, reason: string, voidedOn: string): Promise<void> {
  await voidLockedCharge(tx, timezone, fee, reason, voidedOn);
  tx.assign(fee, { isSuperseded: true });
  await publish(tx, "charge.late_fee_voided", ...(await chargeEvents(tx, [fee], () => ({ lateFeeForChargeId: fee.lateFeeForChargeId! }))));
}
