/** Every table of the ledger, for the ORM and for the test that compares them with the schema. */
import { Book } from "./books/book.entity.ts";
import { Category } from "./categories/category.entity.ts";
import { Charge, OpenCharge } from "./charges/charge.entity.ts";
import { LeaseCopy, PropertyCopy, TenantCopy, UnitCopy } from "./copies/copies.entity.ts";
import { AccountMonth, JournalEntry, JournalLine } from "./journal-entries/journal-entry.entity.ts";
import { ListTotal } from "./list-total.entity.ts";
import { Payment, PaymentAllocation, PaymentReversal } from "./payments/payment.entity.ts";
import { RecurringChargeRule } from "./recurring-charges/recurring-charge.entity.ts";

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
