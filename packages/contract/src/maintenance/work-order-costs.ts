import { Charge } from "../ledger/charges.ts";
import { body, operationGroup } from "../operation.ts";
import { expenses } from "../payables/expenses.ts";
import { adminsAndManagers } from "../roles.ts";
import { Id, PlainDate, PositiveCents, text } from "../values.ts";

const { createExpense } = expenses.operations;
const OF_THE_WORK_ORDER = "Another one is refused with 400 `mismatch`. Default: that of the work order.";

export const workOrderCosts = operationGroup("Work orders", "ledger", {
  createWorkOrderExpense: {
    method: "POST",
    path: "/api/work-orders/{id}/expenses",
    summary: "record expenses of work orders",
    access: adminsAndManagers,
    description:
      "Records an expense like `POST /api/expenses`, at the property and unit of the work order and linked to it, so that `expenseIds` of the work order contains it. The vendor is that of the work order unless another or null is sent. `actualCents` of the work order stays as it was stated. A cancelled work order returns 409 `invalid_transition`.",
    body: createExpense.body.extend({
      propertyId: Id.optional().describe(`ID of the property of the work order. ${OF_THE_WORK_ORDER}`),
      unitId: Id.nullable().optional().describe(`ID of the unit of the work order, or null if it has none. ${OF_THE_WORK_ORDER}`),
      workOrderId: Id.optional().describe(`ID of the work order. ${OF_THE_WORK_ORDER}`),
    }),
    response: createExpense.response,
    errors: [409],
    idempotent: true,
  },
  chargeWorkOrderTenant: {
    method: "POST",
    path: "/api/work-orders/{id}/charge-tenant",
    summary: "charge tenants for work orders",
    access: adminsAndManagers,
    description:
      "Charges the lease of the work order, with the charge type `damage` and the title of the work order as the name; `workOrderId` of the charge is the work order. Returns 409 `invalid_transition` for a cancelled work order, for one without a lease, and for one whose `chargeableTo` is `owner` or `organization`: set it to `tenant` first. Several charges of a work order are possible.",
    body: body({
      amountCents: PositiveCents.describe("Amount of the charge in cents, at least 1."),
      categoryId: Id.describe("ID of the income account to credit."),
      dueDate: PlainDate.describe("Date by which the charge must be paid, in an open accounting period (409 `period_closed`)."),
      name: text(1, 160).optional().describe("Name of the charge, shown on statements and in the tenant portal. Default: the title of the work order."),
      memo: text(1, 1000).optional().describe("Internal note about the charge. Default: the number of the work order."),
    }),
    response: { charge: Charge },
    errors: [409],
    idempotent: true,
  },
});
