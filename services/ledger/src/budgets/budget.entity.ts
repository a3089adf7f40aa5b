import type { Budget as View, BudgetLine } from "@freehold/contract/ledger/budgets";
import { defineEntity, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const BudgetSchema = defineEntity({
  name: "Budget",
  tableName: "budget",
  ...inOrganization,
  indexes: [
    {
      name: "budget_one_active_a_year",
      expression:
        "create unique index budget_one_active_a_year on budget (organization_id, property_id, fiscal_year) nulls not distinct where status = 'active' and deleted_at is null",
    },
    { properties: ["organizationId", "fiscalYear", "id"], name: "budget_by_year" },
  ],
  properties: {
    ...orgColumns,
    /** Null for a budget of the whole portfolio. */
    propertyId: p.uuid().nullable(),
    name: p.text(),
    fiscalYear: p.smallint(),
    startMonth: p.smallint(),
    basis: p.text().$type<View["basis"]>(),
    status: p.text().$type<View["status"]>(),
    lines: p.json().$type<BudgetLine[]>(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Planned amounts of income and expense accounts in the months of a fiscal year. */
export class Budget extends BudgetSchema.class {}
BudgetSchema.setClass(Budget);
