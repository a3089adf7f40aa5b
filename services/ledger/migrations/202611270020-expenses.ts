import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

const sources = ["manual", "charge", "payment", "allocation", "credit", "refund", "deposit", "bank_fee", "opening_balance", "transfer", "adjustment"];

/** Expenses of properties, payments of them from bank accounts, and the names of vendors. */
export class Expenses extends Migration {
  override up(): void {
    this.addSql(`create table vendor_copy (${orgColumnsSql},
      name text not null,
      is_deleted boolean not null default false
    );
    ${rowLevelSecuritySql("vendor_copy")}`);
    this.addSql(`create table expense (${orgColumnsSql},
      name text,
      description text,
      category text not null,
      category_id uuid not null,
      amount_cents bigint not null,
      paid_cents bigint not null default 0,
      outstanding_cents bigint not null,
      incurred_on date not null,
      due_on date,
      invoice_number text,
      vendor_id uuid,
      property_id uuid not null,
      unit_id uuid,
      owner_id uuid,
      work_order_id uuid,
      markup_bps int,
      status text not null,
      approval_status text not null,
      entry_id uuid not null,
      voided_at timestamptz(3),
      void_reason text,
      constraint expense_amount_positive check (amount_cents > 0),
      constraint expense_never_overpaid check (paid_cents between 0 and amount_cents),
      constraint expense_outstanding_unless_paid_or_voided check (outstanding_cents = case status when 'voided' then 0 else amount_cents - paid_cents end),
      constraint expense_voided_unpaid check (status = 'active' or (status = 'voided' and paid_cents = 0)),
      constraint expense_voided_at_a_time check ((status = 'voided') = (voided_at is not null)),
      constraint expense_approval_known check (approval_status in ('not_required', 'pending', 'approved', 'rejected')),
      constraint expense_in_the_chart foreign key (organization_id, category_id) references category (organization_id, id),
      constraint expense_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index expense_by_day on expense (organization_id, incurred_on, id);
    create index expense_by_vendor on expense (organization_id, vendor_id) where vendor_id is not null;
    create index expense_by_property on expense (organization_id, property_id);
    create index expense_unpaid on expense (organization_id, due_on) where outstanding_cents > 0;
    ${rowLevelSecuritySql("expense")}`);
    this.addSql(`create table expense_payment (${orgColumnsSql},
      vendor_id uuid,
      amount_cents bigint not null,
      unallocated_cents bigint not null,
      payment_method text not null,
      status text not null,
      account_id uuid not null,
      bank_account_id uuid,
      paid_at timestamptz(3) not null,
      paid_on date not null,
      reference_number text,
      memo text,
      entry_id uuid not null,
      ended_at timestamptz(3),
      void_reason text,
      constraint expense_payment_amount_positive check (amount_cents > 0),
      constraint expense_payment_never_overallocated check (unallocated_cents between 0 and amount_cents),
      constraint expense_payment_ended_at_a_time check (status in ('issued', 'pending', 'failed', 'voided') and (status in ('failed', 'voided')) = (ended_at is not null)),
      constraint expense_payment_from_an_account foreign key (organization_id, account_id) references category (organization_id, id),
      constraint expense_payment_from_a_bank_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id),
      constraint expense_payment_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index expense_payment_by_time on expense_payment (organization_id, paid_at, id);
    create index expense_payment_by_vendor on expense_payment (organization_id, vendor_id) where vendor_id is not null;
    ${rowLevelSecuritySql("expense_payment")}`);
    this.addSql(`create table expense_allocation (${orgColumnsSql},
      expense_payment_id uuid not null,
      expense_id uuid not null,
      amount_cents bigint not null,
      settled_on date not null,
      entry_id uuid not null,
      released_at timestamptz(3),
      release_entry_id uuid,
      constraint expense_allocation_amount_positive check (amount_cents > 0),
      constraint expense_allocation_of_a_payment foreign key (organization_id, expense_payment_id) references expense_payment (organization_id, id),
      constraint expense_allocation_to_an_expense foreign key (organization_id, expense_id) references expense (organization_id, id),
      constraint expense_allocation_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index expense_allocation_by_payment on expense_allocation (organization_id, expense_payment_id);
    create index expense_allocation_by_expense on expense_allocation (organization_id, expense_id);
    ${rowLevelSecuritySql("expense_allocation")}`);
    this.addSql(`alter table journal_entry drop constraint journal_entry_source_known,
      add constraint journal_entry_source_known
        check (source in (${[...sources, "expense", "expense_payment", "expense_allocation", "reversal"].map((source) => `'${source}'`).join(", ")}))`);
  }
}
