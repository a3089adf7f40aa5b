import { transferStatuses } from "@freehold/contract/trust/transfers";
import { cents, defineEntity, enumText, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";
import type { Allocation } from "./transfer.rules.ts";

const BankTransferSchema = defineEntity({
  name: "BankTransfer",
  tableName: "bank_transfer",
  ...inOrganization,
  indexes: [
    { properties: ["organizationId", "occurredAt", "id"], name: "bank_transfer_by_time" },
    {
      name: "bank_transfer_of_unassigned_money",
      expression: "create index bank_transfer_of_unassigned_money on bank_transfer (organization_id, id) where unassigned_cents > 0",
    },
  ],
  properties: {
    ...orgColumns,
    fromBankAccountId: p.uuid(),
    toBankAccountId: p.uuid(),
    amountCents: cents(),
    occurredAt: p.datetime(3),
    memo: p.text().nullable(),
    status: enumText(transferStatuses),
    allocations: p.json().$type<Allocation[]>(),
    /** Part of the amount that is opening balance of a trust account and no money of the manager. */
    unassignedCents: cents().defaultRaw("0"),
    entryId: p.uuid(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Transfer of money between two bank accounts of the organization. */
export class BankTransfer extends BankTransferSchema.class {}
BankTransferSchema.setClass(BankTransfer);
