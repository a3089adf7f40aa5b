import { z } from "zod";
import { JournalEntry } from "../ledger/journal-entries.ts";
import { body, operationGroup } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, PlainDate, PositiveCents, text } from "../values.ts";
import { trustWarnings } from "./trust-warnings.ts";

export const transferStatuses = ["posted", "voided"] as const;

const Allocation = z
  .strictObject({
    kind: z
      .enum(["owner", "deposit", "prepaid"])
      .describe("Money to move: that of the `owner` of the property, a tenant's security `deposit`, or a tenant's `prepaid` rent."),
    ownerId: Id.nullable().describe("ID of the owner whose money is moved, or null for money that is not assigned to one owner."),
    propertyId: Id.nullable().describe("ID of the property that the money belongs to."),
    tenantId: Id.nullable().describe("ID of the tenant whose deposit or prepaid rent is moved. Null for money of an owner."),
    leaseId: Id.nullable().describe("ID of the lease whose deposit or prepaid rent is moved. Null for money of an owner."),
    amountCents: PositiveCents.describe("Amount in cents."),
  })
  .meta({ id: "TransferAllocation", description: "Part of a transfer that belongs to one beneficiary." });

export const BankTransfer = z
  .strictObject({
    id: Id.describe("ID of the transfer."),
    organizationId: Id.describe("ID of the organization the transfer belongs to."),
    fromBankAccountId: Id.describe("ID of the bank account that the money leaves."),
    toBankAccountId: Id.describe("ID of the bank account that the money reaches."),
    amountCents: PositiveCents.describe("Amount of the transfer in cents."),
    occurredAt: Instant.describe("Time of the transfer, which dates the journal entry in the organization's time zone."),
    memo: z.string().nullable().describe("Memo of the transfer, or null."),
    status: z.enum(transferStatuses).describe("Status of the transfer. A `voided` transfer has no effect."),
    allocations: z.array(Allocation).describe("Parts of the transfer by beneficiary. Empty for money of the manager."),
    journalEntryId: Id.describe("ID of the journal entry of the transfer."),
    createdAt: Instant.describe("Time at which the transfer was recorded."),
    updatedAt: Instant.describe("Time at which the transfer was last changed."),
    voidedAt: Instant.nullable().describe("Time at which the transfer was voided. Null for one that was not voided."),
    voidReason: z.string().nullable().describe("Reason for voiding the transfer. Null for one that was not voided."),
  })
  .meta({ id: "BankTransfer", description: "Transfer of money between two bank accounts of the organization." });
export type BankTransfer = z.output<typeof BankTransfer>;

const RequestedAllocation = body({
  kind: z
    .enum(["owner", "deposit", "prepaid"])
    .default("owner")
    .describe("Money to move: that of the `owner` of the property, the security `deposit` of a lease, or its `prepaid` rent. Default: `owner`."),
  ownerId: Id.optional().describe("ID of the owner whose money is moved. Default: none, for money that is not assigned to one owner."),
  propertyId: Id.optional().describe("ID of the property that the money belongs to. Required for money of an owner; otherwise it is that of the lease."),
  leaseId: Id.optional().describe("ID of the lease whose deposit or prepaid rent is moved. Required for these, not allowed for money of an owner."),
  tenantId: Id.optional().describe(
    "ID of the tenant whose deposit or prepaid rent is moved, one who may pay for the lease. Default: the primary tenant of the lease, who holds its deposit. Not allowed for money of an owner.",
  ),
  amountCents: PositiveCents.describe("Amount in cents."),
}).superRefine(({ kind, ownerId, propertyId, leaseId, tenantId }, context) => {
  const refuse = (path: string, code: string, message: string) => context.addIssue({ code: "custom", path: [path], params: { code }, message });
  if (kind === "owner" && propertyId === undefined) refuse("propertyId", "required", "Name the property whose money is moved.");
  if (kind === "owner" && leaseId !== undefined)
    refuse("leaseId", "not_allowed", "Money of an owner belongs to a property. Leave leaseId out, or set kind to deposit or prepaid.");
  if (kind === "owner" && tenantId !== undefined)
    refuse("tenantId", "not_allowed", "Money of an owner belongs to no tenant. Leave tenantId out, or set kind to deposit or prepaid.");
  if (kind !== "owner" && leaseId === undefined) refuse("leaseId", "required", "Name the lease whose money is moved.");
  if (kind !== "owner" && ownerId !== undefined) refuse("ownerId", "not_allowed", "The money belongs to a tenant. Leave ownerId out.");
});

export const transfers = operationGroup("Bank accounts", "ledger", {
  listTransfers: {
    method: "GET",
    path: "/api/trust/transfers",
    summary: "list transfers between bank accounts",
    access: officeRoles,
    query: listQuery(["occurredAt", "amountCents", "createdAt"], {
      bankAccountId: Id.optional().describe("Return only transfers from or to this bank account."),
      status: csvEnum(transferStatuses).optional().describe("Return only transfers with these statuses, repeated or comma-separated."),
      occurredAfter: PlainDate.optional().describe("Return only transfers of this date or later, in the organization's time zone."),
      occurredBefore: PlainDate.optional().describe("Return only transfers of this date or earlier, in the organization's time zone."),
    }),
    response: page("transfers", BankTransfer),
  },
  createTransfer: {
    method: "POST",
    path: "/api/trust/transfers",
    summary: "transfer money between bank accounts",
    access: adminsAndManagers,
    description:
      "Moves money between two bank accounts in one journal entry that balances in each property. Allocations name the beneficiaries whose money is moved; without them it is money that belongs to no property and no tenant: that of the manager and, between trust accounts, what the manager lacks of the opening balance. With the policy `trustOverdraft` `block`, a transfer out of a trust account is refused with 409 `insufficient_trust_funds` when a beneficiary has less in the account. To a `business` account only money that the manager has earned can be moved (409 `would_overdraw_ledger`): collected management fees and other income without a property, such as interest, less expenses, and what the manager has put in. Opening balances, and money that a journal entry has moved from a property or posted against equity, are not earned.",
    body: body({
      fromBankAccountId: Id.describe("ID of the bank account that the money leaves."),
      toBankAccountId: Id.describe("ID of the bank account that the money reaches, another one."),
      amountCents: PositiveCents.describe("Amount of the transfer in cents."),
      occurredAt: Instant.describe(
        "Time of the transfer, which dates the journal entry. In a closed accounting period, the entry is dated the first open day.",
      ),
      memo: text(1, 500).nullable().optional().describe("Memo of the transfer and its journal entry. Default: null."),
      allocations: z
        .array(RequestedAllocation)
        .max(500)
        .default([])
        .describe("Parts of the transfer by beneficiary, which add up to its amount. Default: none, for money of the manager."),
    }).refine(({ amountCents, allocations }) => allocations.length === 0 || allocations.reduce((sum, each) => sum + each.amountCents, 0) === amountCents, {
      path: ["allocations"],
      params: { code: "mismatch" },
      message: "The allocations must add up to amountCents.",
    }),
    response: { transfer: BankTransfer, journalEntry: JournalEntry, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
  getTransfer: {
    method: "GET",
    path: "/api/trust/transfers/{id}",
    summary: "read a transfer between bank accounts",
    access: officeRoles,
    response: { transfer: BankTransfer },
  },
  voidTransfer: {
    method: "POST",
    path: "/api/trust/transfers/{id}/void",
    summary: "void transfers between bank accounts",
    access: adminsAndManagers,
    description:
      "Reverses the journal entry of the transfer on its own day, or on the first open day when that accounting period is closed. Refused with 409 `reconciled_transaction` when a finalized reconciliation has cleared it, with 409 `invalid_transition` when it is voided, and with 409 `insufficient_trust_funds` under the policy `block` when a beneficiary has used the money in the account that it reached; money of the manager that would go back to a `business` account must be there under every policy (409 `would_overdraw_ledger`).",
    body: body({ reason: text(1, 500).describe("Reason for voiding the transfer, stored with it for audits.") }),
    response: { transfer: BankTransfer, journalEntry: JournalEntry, ...trustWarnings },
    errors: [409],
    idempotent: true,
  },
});
