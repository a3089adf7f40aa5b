import { bankAccountTypes } from "@freehold/contract/trust/bank-accounts";
import { defineEntity, enumText, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const BankAccountSchema = defineEntity({
  name: "BankAccount",
  tableName: "bank_account",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "categoryId"], name: "bank_account_by_account" }],
  properties: {
    ...orgColumns,
    categoryId: p.uuid(),
    ownerId: p.uuid().nullable(),
    name: p.text(),
    institutionName: p.text(),
    accountMask: p.text(),
    accountType: enumText(bankAccountTypes),
    isActive: p.boolean().default(true),
  },
});
/** Bank account of the organization. Money in it is posted to its account of the chart, with the bank account as a dimension of the lines. */
export class BankAccount extends BankAccountSchema.class {}
BankAccountSchema.setClass(BankAccount);
