/** Every table of the ledger, for the ORM and for the test that compares them with the schema. */
import { Book } from "./settings/ledger-settings.entity.ts";
import { Category } from "./chart/category.entity.ts";
import { Charge, OpenCharge } from "./receivables/charges/charge.entity.ts";
import { LeaseCopy, PropertyCopy, TenantCopy, UnitCopy } from "./projections/copies.entity.ts";
import { AccountMonth, JournalEntry, JournalLine } from "./journal/journal-entry.entity.ts";
import { ListTotal } from "./list-total.entity.ts";
import { Payment, PaymentAllocation, PaymentReversal } from "./receivables/payments/payment.entity.ts";
import { RecurringChargeRule } from "./receivables/recurring-charges/recurring-charge.entity.ts";

export const entities = [
  Book,
  Category,
  TenantCopy,
  PropertyCopy,
  UnitCopy,
  LeaseCopy,
  JournalEntry,
  JournalLine,
  AccountMonth,
  Charge,
  OpenCharge,
  ListTotal,
  RecurringChargeRule,
  Payment,
  PaymentAllocation,
  PaymentReversal,
];
