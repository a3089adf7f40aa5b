/** Tables of deposits at a bank and of their payments. */
import type { Deposit as View } from "@freehold/contract/ledger/deposits";
import { cents, defineEntity, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const DepositSchema = defineEntity({
  name: "Deposit",
  tableName: "bank_deposit",
  ...inOrganization,
  indexes: [{ properties: ["organizationId", "depositedOn", "id"], name: "bank_deposit_by_day" }],
  properties: {
    ...orgColumns,
    /** Account of the chart. */
    accountId: p.uuid().name("bank_account_id"),
    /** Null for a deposit to an account of the chart that had no bank account. */
    bankAccountId: p.uuid().name("trust_bank_account_id").nullable(),
    depositedOn: plainDate(),
    amountCents: cents(),
    status: p.text().$type<View["status"]>(),
    entryId: p.uuid(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Deposit of payments at a bank. */
export class Deposit extends DepositSchema.class {}
DepositSchema.setClass(Deposit);

const DepositPaymentSchema = defineEntity({
  name: "DepositPayment",
  tableName: "bank_deposit_payment",
  ...inOrganization,
  uniques: [{ properties: ["organizationId", "depositId", "paymentId"], name: "bank_deposit_payment_once" }],
  indexes: [{ properties: ["organizationId", "paymentId"], name: "bank_deposit_payment_by_payment" }],
  properties: { ...orgColumns, depositId: p.uuid(), paymentId: p.uuid() },
});
/** Payment of a deposit, kept when the deposit is voided. */
export class DepositPayment extends DepositPaymentSchema.class {}
DepositPaymentSchema.setClass(DepositPayment);
