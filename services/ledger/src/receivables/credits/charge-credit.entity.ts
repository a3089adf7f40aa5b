import type { ChargeCredit as View } from "@freehold/contract/ledger/charges";
import { cents, defineEntity, orgColumns, p, plainDate, inPortalReach } from "@freehold/kit/db/entity";

const ChargeCreditSchema = defineEntity({
  name: "ChargeCredit",
  tableName: "charge_credit",
  ...inPortalReach,
  indexes: [
    { properties: ["organizationId", "chargeId"], name: "charge_credit_by_charge" },
    {
      name: "charge_credit_carryable",
      expression: "create index charge_credit_carryable on charge_credit (organization_id, charge_id) where carryable_cents > 0",
    },
    {
      name: "charge_credit_paid_by_deposit",
      expression: "create index charge_credit_paid_by_deposit on charge_credit (organization_id, charge_id) where security_deposit_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    chargeId: p.uuid(),
    amountCents: cents(),
    reason: p.text().$type<View["reason"]>(),
    memo: p.text().nullable(),
    creditedOn: plainDate(),
    /** Day for which the credit was requested, from which it counts for late fees; null when it is dated that day. */
    requestedOn: plainDate().nullable(),
    entryId: p.uuid(),
    reversedAt: p.datetime(3).nullable(),
    reversalEntryId: p.uuid().nullable(),
    /** Amount of a credit that was reversed with its superseded charge and is not yet carried to a charge that is posted instead. */
    carryableCents: cents().defaultRaw("0"),
    /** Credit that the office gave, of which this one is a carried part; null for a credit that the office gave itself. */
    originalCreditId: p.uuid().nullable(),
    /** Security deposit that pays for the credit, which is taken back only with the deposit's own operation; null for other credits. */
    securityDepositId: p.uuid().nullable(),
  },
});
/** Amount by which the office reduced a charge. A trigger rejects every change except the reversal and, after it, a lower `carryableCents`. */
export class ChargeCredit extends ChargeCreditSchema.class {}
ChargeCreditSchema.setClass(ChargeCredit);
