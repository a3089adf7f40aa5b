import type { EstimateLine } from "@freehold/contract/maintenance/work-orders";
import { approvalStatuses, expenseCategories, expenseStatuses } from "@freehold/contract/payables/expenses";
import { cents, defineEntity, enumText, orgColumns, p, plainDate, inPortalReach } from "@freehold/kit/db/entity";

const ExpenseSchema = defineEntity({
  name: "Expense",
  tableName: "expense",
  ...inPortalReach,
  indexes: [
    { properties: ["organizationId", "incurredOn", "id"], name: "expense_by_day" },
    { name: "expense_by_vendor", expression: "create index expense_by_vendor on expense (organization_id, vendor_id) where vendor_id is not null" },
    { properties: ["organizationId", "propertyId"], name: "expense_by_property" },
    { properties: ["organizationId", "amountCents", "incurredOn", "id"], name: "expense_by_amount" },
    { name: "expense_unpaid", expression: "create index expense_unpaid on expense (organization_id, due_on) where outstanding_cents > 0" },
  ],
  properties: {
    ...orgColumns,
    name: p.text().nullable(),
    description: p.text().nullable(),
    category: enumText(expenseCategories),
    categoryId: p.uuid(),
    amountCents: cents(),
    paidCents: cents().defaultRaw("0"),
    outstandingCents: cents(),
    incurredOn: plainDate(),
    ownedOn: plainDate().nullable(),
    dueOn: plainDate().nullable(),
    invoiceNumber: p.text().nullable(),
    vendorId: p.uuid().nullable(),
    propertyId: p.uuid(),
    unitId: p.uuid().nullable(),
    ownerId: p.uuid().nullable(),
    workOrderId: p.uuid().nullable(),
    markupBps: p.integer().nullable(),
    lines: p.json().$type<EstimateLine[]>().defaultRaw("'[]'"),
    documentIds: p.array().columnType("uuid[]").defaultRaw("'{}'"),
    status: enumText(expenseStatuses),
    approvalStatus: enumText(approvalStatuses),
    /** Entry of the current amount and dimensions; a change of them posts a new one. */
    entryId: p.uuid(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Bill or other expense of a property, owed until payments settle it. */
export class Expense extends ExpenseSchema.class {}
ExpenseSchema.setClass(Expense);
