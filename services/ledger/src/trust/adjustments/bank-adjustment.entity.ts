import { adjustmentKinds } from "@freehold/contract/trust/bank-accounts";
import { cents, defineEntity, enumText, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const BankAdjustmentSchema = defineEntity({
  name: "BankAdjustment",
  tableName: "bank_adjustment",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "bankAccountId"], name: "bank_adjustment_by_account" }],
  properties: {
    ...orgColumns,
    bankAccountId: p.uuid(),
    kind: enumText(adjustmentKinds),
    amountCents: cents(),
    occurredOn: plainDate(),
    propertyId: p.uuid().nullable(),
    memo: p.text().nullable(),
    entryId: p.uuid(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Fee that a bank took from an account, or interest that it paid. */
export class BankAdjustment extends BankAdjustmentSchema.class {}
BankAdjustmentSchema.setClass(BankAdjustment);
