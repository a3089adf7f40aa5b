import type { AccountingPeriod as View } from "@freehold/contract/ledger/accounting-periods";
import { defineEntity, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const AccountingPeriodSchema = defineEntity({
  name: "AccountingPeriod",
  tableName: "accounting_period",
  ...inOrganization,
  uniques: [{ properties: ["organizationId", "startDate"], name: "accounting_period_once" }],
  properties: {
    ...orgColumns,
    startDate: plainDate(),
    endDate: plainDate(),
    status: p.text().$type<View["status"]>(),
    note: p.text().nullable(),
    closedAt: p.datetime(3).nullable(),
    closedByUserId: p.uuid().nullable(),
    reopenedAt: p.datetime(3).nullable(),
    reopenReason: p.text().nullable(),
  },
});
/** Calendar month of an organization's accounts. `closed_through` and `soft_closed_through` of the ledger settings follow the statuses. */
export class AccountingPeriod extends AccountingPeriodSchema.class {}
AccountingPeriodSchema.setClass(AccountingPeriod);
