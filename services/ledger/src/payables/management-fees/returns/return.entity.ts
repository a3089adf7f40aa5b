import { cents, defineEntity, enumText, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

/**
 * Effect of a fee that is taken back: an `unpaid` expense is lowered; a `collected` fee goes back to the owners in the trust account; and
 * what was paid out is `owed` to the owners until a later run offsets it.
 */
const returnEffects = ["unpaid", "collected", "owed"] as const;
export type ReturnEffect = (typeof returnEffects)[number];

const ManagementFeeReturnSchema = defineEntity({
  name: "ManagementFeeReturn",
  tableName: "management_fee_return",
  ...inOrganization,
  indexes: [
    { properties: ["organizationId", "runId"], name: "management_fee_return_by_run" },
    {
      name: "management_fee_return_owed",
      expression:
        "create index management_fee_return_owed on management_fee_return (organization_id, property_id) where effect = 'owed' and offset_by_run_id is null",
    },
    {
      name: "management_fee_return_by_offset",
      expression:
        "create index management_fee_return_by_offset on management_fee_return (organization_id, offset_by_run_id) where offset_by_run_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    runId: p.uuid(),
    /** Null for a fee that was set off against a correction of an earlier run, so that it is in no expense. */
    expenseId: p.uuid().nullable(),
    propertyId: p.uuid(),
    paymentId: p.uuid(),
    amountCents: cents(),
    effect: enumText(returnEffects),
    entryId: p.uuid(),
    offsetByRunId: p.uuid().nullable(),
  },
});
/** Part of a fee that was taken back because its payment was reversed. */
export class ManagementFeeReturn extends ManagementFeeReturnSchema.class {}
ManagementFeeReturnSchema.setClass(ManagementFeeReturn);
