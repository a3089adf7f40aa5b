/**
 * Operations of the ledger for imports, called over gRPC and not part of the API. Each writes one row of a file with all its records,
 * or nothing.
 */
import { z } from "zod";
import { paymentMethods } from "../ledger/payments.ts";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers } from "../roles.ts";
import { depositHolders } from "../trust/security-deposit.schema.ts";
import { DayOfMonth, Id, Instant, NonNegativeCents, PlainDate, PositiveCents, text } from "../values.ts";

const tenantId = Id.optional().describe("ID of the tenant who paid. Default: the primary tenant of the lease.");
const receivedAt = Instant.describe("Time at which the money was received.");

export const importedMoney = operationGroup("Imported money", "ledger", {
  importPayment: {
    method: "POST",
    path: "/imports/payments",
    summary: "import payments",
    access: adminsAndManagers,
    body: body({
      leaseId: Id.optional().describe("ID of the lease the payment is for. Required without `tenantId`."),
      tenantId,
      chargeId: Id.optional().describe("ID of the charge that the payment settles, up to its balance. Default: the open charges, oldest first."),
      amountCents: PositiveCents.describe("Amount of the payment in cents."),
      paymentMethod: z.enum(paymentMethods),
      checkNumber: text(1, 64).optional().describe("Number of the check."),
      receivedAt,
    }).refine(({ leaseId, tenantId: payerId }) => leaseId !== undefined || payerId !== undefined, {
      path: ["leaseId"],
      params: { code: "required" },
      message: "Name the lease or the tenant of the payment.",
    }),
    response: { paymentId: Id },
  },
  importDeposit: {
    method: "POST",
    path: "/imports/deposits",
    summary: "import security deposits",
    access: adminsAndManagers,
    body: body({
      leaseId: Id.describe("ID of the lease."),
      amountCents: PositiveCents.describe("Amount of the deposit in cents."),
      receivedOn: PlainDate.describe("Day on which the deposit was received."),
      receivedAt,
      holder: z.enum(depositHolders),
      bankAccountId: Id.optional().describe("ID of the trust account in which the deposit is kept. Default: none; the money is undeposited."),
    }),
    response: { recordId: Id.describe("ID of the security deposit or, for undeposited money, of its charge.") },
  },
  importRecurringCharge: {
    method: "POST",
    path: "/imports/recurring-charges",
    summary: "import recurring charges",
    access: adminsAndManagers,
    body: body({
      leaseId: Id.describe("ID of the lease."),
      isRentPart: z
        .boolean()
        .default(false)
        .describe(
          "The charge is one of several that are the rent of a lease without a rent of its own: it is prorated for partial months, and ends with the lease.",
        ),
      kind: z.enum(["rent", "fee"]).describe("`rent` for a part of the rent, `fee` for an additional fee."),
      amountCents: PositiveCents.describe("Amount of each monthly charge in cents."),
      categoryId: Id.describe("ID of the income account that the charges are credited to."),
      dayOfMonth: DayOfMonth.describe("Day of the month on which the charges are due, 1 to 31; the last day in shorter months."),
      startDate: PlainDate.describe("First day that is charged; the start of a lease that starts later."),
      endDate: PlainDate.optional().describe("Last day that is charged. Default none; a part of the rent ends with the lease."),
      label: text(1, 160).describe("Name of the charges."),
    }),
    response: { recordId: Id.describe("ID of the recurring charge.") },
  },
  importOpeningBalance: {
    method: "POST",
    path: "/imports/opening-balances",
    summary: "import opening balances",
    access: adminsAndManagers,
    body: body({
      leaseId: Id.describe("ID of the lease."),
      balanceCents: NonNegativeCents.describe("Balance due in cents, posted as a charge."),
      prepaidCents: NonNegativeCents.describe("Prepayment in cents, recorded as a payment without allocations."),
      asOf: PlainDate.describe("Due date of the charge."),
      receivedAt,
      categoryId: Id.describe("ID of the account that the charge is credited to."),
    }).refine(({ balanceCents, prepaidCents }) => balanceCents + prepaidCents > 0, {
      path: ["balanceCents"],
      params: { code: "required" },
      message: "A balance of zero posts nothing.",
    }),
    response: { recordId: Id.describe("ID of the charge or, without a balance due, of the payment.") },
  },
});
