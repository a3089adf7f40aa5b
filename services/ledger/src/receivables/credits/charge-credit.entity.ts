import type { ChargeCredit as View } from "@freehold/contract/ledger/charges";
import { cents, defineEntity, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const ChargeCreditSchema = defineEntity({
  name: "ChargeCredit",
  tableName: "charge_credit",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "chargeId"], name: "charge_credit_by_charge" }],
  properties: {
    ...orgColumns,
    chargeId: p.uuid(),
    amountCents: cents(),
    reason: p.text().$type<View["reason"]>(),
    memo: p.text().nullable(),
    creditedOn: plainDate(),
    entryId: p.uuid(),
    reversedAt: p.datetime(3).nullable(),
    reversalEntryId: p.uuid().nullable(),
  },
});
/** Amount by which the office reduced a charge. A trigger rejects every change except the reversal. */
export class ChargeCredit extends ChargeCreditSchema.class {}
ChargeCreditSchema.setClass(ChargeCredit);
