import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

const sources = [
  "manual",
  "charge",
  "payment",
  "allocation",
  "credit",
  "refund",
  "deposit",
  "bank_fee",
  "opening_balance",
  "transfer",
  "adjustment",
  "expense",
  "expense_payment",
  "expense_allocation",
  "contribution",
  "distribution",
  "management_fee",
  "security_deposit",
  "reversal",
];

/** Contributions of owners, payouts to them, and their statements. */
export class OwnerMoney extends Migration {
  override up(): void {
    this.addSql(`create table owner_contribution (${orgColumnsSql},
      owner_id uuid not null,
      property_id uuid not null,
      bank_account_id uuid not null,
      amount_cents bigint not null,
      received_at timestamptz(3) not null,
      payment_method text not null,
      memo text,
      entry_id uuid not null,
      voided_at timestamptz(3),
      void_reason text,
      constraint owner_contribution_amount_positive check (amount_cents > 0),
      constraint owner_contribution_method_known check (payment_method in ('ach', 'card', 'cash', 'check', 'money_order', 'other')),
      constraint owner_contribution_to_an_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id),
      constraint owner_contribution_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index owner_contribution_by_owner on owner_contribution (organization_id, owner_id, received_at, id);
    ${rowLevelSecuritySql("owner_contribution")}`);
    this.addSql(`create table owner_payable (${orgColumnsSql},
      owner_id uuid not null,
      property_id uuid not null,
      bank_account_id uuid not null,
      period_start date not null,
      period_end date not null,
      status text not null,
      gross_cents bigint not null,
      amount_cents bigint not null,
      calculation jsonb not null,
      method text not null,
      reference_number text,
      reduction_reason text,
      paid_at timestamptz(3),
      entry_id uuid,
      voided_at timestamptz(3),
      void_reason text,
      constraint owner_payable_amount_positive check (amount_cents > 0),
      constraint owner_payable_period_in_order check (period_start <= period_end),
      constraint owner_payable_method_known check (method in ('check', 'ach', 'other')),
      constraint owner_payable_voided_at_a_time check (status in ('draft', 'approved', 'paid', 'voided') and (status = 'voided') = (voided_at is not null)),
      constraint owner_payable_paid_by_an_entry check ((entry_id is null) = (paid_at is null) and (status <> 'paid' or entry_id is not null)),
      constraint owner_payable_from_an_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id),
      constraint owner_payable_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index owner_payable_by_period on owner_payable (organization_id, period_end, id);
    create index owner_payable_by_owner on owner_payable (organization_id, owner_id, property_id);
    create unique index owner_payable_open_once on owner_payable (organization_id, owner_id, property_id, bank_account_id) where status in ('draft', 'approved');
    ${rowLevelSecuritySql("owner_payable")}`);
    this.addSql(`create table owner_statement (${orgColumnsSql},
      owner_id uuid not null,
      organization_name text not null,
      owner_name text not null,
      period_start date not null,
      period_end date not null,
      basis text not null,
      ledger_version bigint not null,
      figures jsonb not null,
      properties jsonb not null,
      constraint owner_statement_period_in_order check (period_start <= period_end),
      constraint owner_statement_basis_known check (basis in ('accrual', 'cash'))
    );
    create index owner_statement_by_owner on owner_statement (organization_id, owner_id, period_end, id);
    ${rowLevelSecuritySql("owner_statement")}`);
    this.addSql(`alter table journal_entry drop constraint journal_entry_source_known,
      add constraint journal_entry_source_known check (source in (${sources.map((source) => `'${source}'`).join(", ")}))`);
  }
}
