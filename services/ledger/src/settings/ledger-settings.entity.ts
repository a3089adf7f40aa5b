import type { Policies } from "@freehold/contract/identity/accounts";
import { defineEntity, inOrganizationBatches, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const LedgerSettingsSchema = defineEntity({
  name: "LedgerSettingsRecord",
  tableName: "book",
  ...inOrganizationBatches,
  properties: {
    ...orgColumns,
    timezone: p.text(),
    defaultBasis: p.text().$type<"accrual" | "cash">(),
    policies: p.json().$type<Policies>(),
    settingsVersion: p.integer().default(0),
    /** Last day of the closed periods. */
    closedThrough: plainDate().nullable(),
    /** Last day of the closed and soft-closed periods. */
    softClosedThrough: plainDate().nullable(),
  },
});
/** Settings replicated from identity, and the ends of the closed periods. Each organization has one row, whose id is the organization's id. */
export class LedgerSettingsRecord extends LedgerSettingsSchema.class {}
LedgerSettingsSchema.setClass(LedgerSettingsRecord);
