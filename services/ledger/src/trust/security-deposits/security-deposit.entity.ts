/** Tables of security deposits, their charges, deductions and transactions. */
import {
  deductionCategories,
  depositHolders,
  dispositionMethods,
  securityDepositTransactionKinds,
  type DispositionStatement,
} from "@freehold/contract/trust/security-deposit.schema";
import type { PaymentRefund } from "@freehold/contract/ledger/payments";
import { cents, defineEntity, enumText, orgColumns, p, plainDate, textArray, inPortalReach } from "@freehold/kit/db/entity";
import type { z } from "zod";

const SecurityDepositSchema = defineEntity({
  name: "SecurityDeposit",
  tableName: "security_deposit",
  ...inPortalReach,
  indexes: [
    {
      name: "security_deposit_one_open",
      expression: "create unique index security_deposit_one_open on security_deposit (organization_id, tenancy_id) where is_open",
    },
    { properties: ["organizationId", "tenancyId"], name: "security_deposit_by_tenancy" },
    { properties: ["organizationId", "leaseId"], name: "security_deposit_by_lease" },
    { properties: ["organizationId", "tenantId"], name: "security_deposit_by_tenant" },
    { properties: ["organizationId", "propertyId"], name: "security_deposit_by_property" },
  ],
  properties: {
    ...orgColumns,
    tenancyId: p.uuid(),
    /** Lease that holds the deposit: a renewal once it has taken over. */
    leaseId: p.uuid(),
    tenantId: p.uuid(),
    propertyId: p.uuid(),
    unitId: p.uuid(),
    bankAccountId: p.uuid().nullable(),
    holder: enumText(depositHolders),
    requiredCents: cents(),
    /** True until the disposition is finalized or the deposit is transferred. New deposit charges belong to the open deposit of the tenancy. */
    isOpen: p.boolean().default(true),
    moveOutDate: plainDate().nullable(),
    /** True when the office has set the move-out, which then no longer follows the lease. */
    isMoveOutByOffice: p.boolean().default(false),
    dispositionDueOn: plainDate().nullable(),
    forwardingAddress: p.text().nullable(),
    /** Set once the disposition is finalized. */
    dispositionSentAt: p.datetime(3).nullable(),
    dispositionMethod: enumText(dispositionMethods).nullable(),
    /** Letter of the finalized disposition, as it was sent; null for a draft, and for one that was finalized before letters were stored. */
    dispositionLetter: p.json().$type<DispositionStatement>().nullable(),
    /** Entry of the deductions that become income. */
    dispositionEntryId: p.uuid().nullable(),
  },
});
/** Security deposit of a tenancy. Its amounts are derived from its charges, deductions and transactions. */
export class SecurityDeposit extends SecurityDepositSchema.class {}
SecurityDepositSchema.setClass(SecurityDeposit);

const SecurityDepositChargeSchema = defineEntity({
  name: "SecurityDepositCharge",
  tableName: "security_deposit_charge",
  ...inPortalReach,
  indexes: [{ properties: ["organizationId", "securityDepositId"], name: "security_deposit_charge_by_deposit" }],
  /** The id is that of the charge. */
  properties: { ...orgColumns, securityDepositId: p.uuid() },
});
/** Deposit charge of a security deposit. */
export class SecurityDepositCharge extends SecurityDepositChargeSchema.class {}
SecurityDepositChargeSchema.setClass(SecurityDepositCharge);

const SecurityDepositDeductionSchema = defineEntity({
  name: "SecurityDepositDeduction",
  tableName: "security_deposit_deduction",
  ...inPortalReach,
  indexes: [{ properties: ["organizationId", "securityDepositId"], name: "security_deposit_deduction_by_deposit" }],
  properties: {
    ...orgColumns,
    securityDepositId: p.uuid(),
    category: enumText(deductionCategories),
    description: p.text(),
    amountCents: cents(),
    chargeId: p.uuid().nullable(),
    documentIds: p.array().columnType("uuid[]").defaultRaw("'{}'"),
    /** Entry of the finalized deduction, and the credit by which it settles its charge. */
    entryId: p.uuid().nullable(),
    creditId: p.uuid().nullable(),
  },
});
/** Amount withheld from a security deposit; a draft until the disposition is finalized. */
export class SecurityDepositDeduction extends SecurityDepositDeductionSchema.class {}
SecurityDepositDeductionSchema.setClass(SecurityDepositDeduction);

const SecurityDepositTransactionSchema = defineEntity({
  name: "SecurityDepositTransaction",
  tableName: "security_deposit_transaction",
  ...inPortalReach,
  indexes: [{ properties: ["organizationId", "securityDepositId"], name: "security_deposit_transaction_by_deposit" }],
  properties: {
    ...orgColumns,
    securityDepositId: p.uuid(),
    kind: enumText(securityDepositTransactionKinds),
    amountCents: cents(),
    occurredOn: plainDate(),
    chargeId: p.uuid().nullable(),
    ownerId: p.uuid().nullable(),
    counterpartId: p.uuid().nullable(),
    method: p.text().$type<z.output<typeof PaymentRefund>["method"]>().nullable(),
    bankAccountId: p.uuid().nullable(),
    accountId: p.uuid().nullable(),
    referenceNumber: p.text().nullable(),
    payees: textArray(),
    /** Null for a transaction of a deposit that the owner holds. */
    entryId: p.uuid().nullable(),
    /** Credits by which the transaction settles charges. */
    creditIds: p.array().columnType("uuid[]"),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Movement of a security deposit, apart from the payments of its charges. */
export class SecurityDepositTransaction extends SecurityDepositTransactionSchema.class {}
SecurityDepositTransactionSchema.setClass(SecurityDepositTransaction);
