import type { Charge as View } from "@freehold/contract/ledger/charges";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { recordVoidedBilling } from "../../payables/tenant-charges/record-billing.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Charge } from "./charge.entity.ts";
import { getCharge } from "./charges.ts";
import { voidLockedCharge } from "./void-locked-charge.ts";

/** Voids a charge by reversing its journal entry. */
export function voidCharge(db: OrgDb, id: string, reason: string): Promise<{ charge: View }> {
  return transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const charge = await tx.getForUpdate(Charge, id, "Charge");
    await voidLockedCharge(tx, timezone, charge, reason);
    if (charge.expenseId) await recordVoidedBilling(tx, charge.expenseId);
    return { charge: await getCharge(tx, id) };
  });
}
