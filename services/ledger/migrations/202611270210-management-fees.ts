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
  "management_fee",
  "reversal",
];

/** Agreements on management fees, runs that charge them, and what was taken back of them because payments were reversed. */
export class ManagementFees extends Migration {
  override up(): void {
    this.addSql(`create table management_fee_agreement (${orgColumnsSql},
      property_id uuid not null,
      effective_from date not null,
      effective_to date,
      fee_type text not null,
      percent_bps int,
      flat_cents bigint,
      minimum_cents bigint,
      maximum_cents bigint,
      waive_when_vacant boolean not null,
      included_charge_types text[] not null,
      manager_keeps_charge_types text[] not null,
      leasing_fee jsonb,
      renewal_fee jsonb,
      category_id uuid not null,
      deleted_at timestamptz(3),
      constraint management_fee_agreement_ends_after_start check (effective_to >= effective_from),
      constraint management_fee_agreement_in_the_chart foreign key (organization_id, category_id) references category (organization_id, id)
    );
    create index management_fee_agreement_by_property on management_fee_agreement (organization_id, property_id, effective_from);
    ${rowLevelSecuritySql("management_fee_agreement")}`);
    this.addSql(`create table management_fee_run (${orgColumnsSql},
      period_start date not null,
      period_end date not null,
      status text not null,
      bank_account_id uuid,
      expense_payment_id uuid,
      total_cents bigint not null,
      collected_cents bigint not null,
      reversed_at timestamptz(3),
      reverse_reason text,
      constraint management_fee_run_ends_after_start check (period_end >= period_start),
      constraint management_fee_run_reversed_at_a_time check (status in ('completed', 'reversed') and (status = 'reversed') = (reversed_at is not null)),
      constraint management_fee_run_collected_by_a_payment check ((expense_payment_id is not null) = (collected_cents > 0)),
      constraint management_fee_run_in_a_bank_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id),
      constraint management_fee_run_collected foreign key (organization_id, expense_payment_id) references expense_payment (organization_id, id)
    );
    create index management_fee_run_by_period on management_fee_run (organization_id, period_start, id);
    create index management_fee_run_by_payment on management_fee_run (organization_id, expense_payment_id) where expense_payment_id is not null;
    ${rowLevelSecuritySql("management_fee_run")}`);
    this.addSql(`create table management_fee (${orgColumnsSql},
      run_id uuid not null,
      property_id uuid not null,
      agreement_id uuid not null,
      kind text not null,
      month date not null,
      lease_id uuid,
      base_cents bigint not null,
      computed_cents bigint not null,
      minimum_applied boolean not null,
      maximum_applied boolean not null,
      is_waived boolean not null,
      amount_cents bigint not null,
      reversed_cents bigint not null default 0,
      rate jsonb,
      expense_id uuid,
      constraint management_fee_kind_known check (kind in ('management', 'kept', 'leasing', 'renewal')),
      constraint management_fee_taken_back_in_part check (reversed_cents >= 0),
      constraint management_fee_of_a_run foreign key (organization_id, run_id) references management_fee_run (organization_id, id),
      constraint management_fee_of_an_agreement foreign key (organization_id, agreement_id) references management_fee_agreement (organization_id, id),
      constraint management_fee_in_an_expense foreign key (organization_id, expense_id) references expense (organization_id, id)
    );
    create index management_fee_by_run on management_fee (organization_id, run_id);
    create index management_fee_by_property on management_fee (organization_id, property_id, month);
    create index management_fee_by_expense on management_fee (organization_id, expense_id) where expense_id is not null;
    create index management_fee_by_lease on management_fee (organization_id, lease_id) where lease_id is not null;
    ${rowLevelSecuritySql("management_fee")}`);
    this.addSql(`create table management_fee_base (${orgColumnsSql},
      fee_id uuid not null,
      charge_id uuid not null,
      payment_id uuid,
      allocation_id uuid,
      amount_cents bigint not null,
      is_taken_back boolean not null default false,
      constraint management_fee_base_taken_back_if_negative check (amount_cents < 0 or not is_taken_back),
      constraint management_fee_base_of_a_fee foreign key (organization_id, fee_id) references management_fee (organization_id, id),
      constraint management_fee_base_of_a_charge foreign key (organization_id, charge_id) references charge (organization_id, id),
      constraint management_fee_base_of_a_payment foreign key (organization_id, payment_id) references payment (organization_id, id),
      constraint management_fee_base_of_an_allocation foreign key (organization_id, allocation_id) references payment_allocation (organization_id, id)
    );
    create index management_fee_base_by_fee on management_fee_base (organization_id, fee_id);
    create index management_fee_base_by_charge on management_fee_base (organization_id, charge_id);
    create index management_fee_base_by_payment on management_fee_base (organization_id, payment_id) where payment_id is not null;
    ${rowLevelSecuritySql("management_fee_base")}`);
    this.addSql(`create table management_fee_return (${orgColumnsSql},
      run_id uuid not null,
      expense_id uuid,
      property_id uuid not null,
      payment_id uuid not null,
      amount_cents bigint not null,
      effect text not null,
      entry_id uuid not null,
      offset_by_run_id uuid,
      constraint management_fee_return_amount_positive check (amount_cents > 0),
      constraint management_fee_return_effect_known check (effect in ('unpaid', 'collected', 'owed')),
      constraint management_fee_return_offset_if_owed check (offset_by_run_id is null or effect = 'owed'),
      constraint management_fee_return_of_a_run foreign key (organization_id, run_id) references management_fee_run (organization_id, id),
      constraint management_fee_return_of_an_expense foreign key (organization_id, expense_id) references expense (organization_id, id),
      constraint management_fee_return_of_a_payment foreign key (organization_id, payment_id) references payment (organization_id, id),
      constraint management_fee_return_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id),
      constraint management_fee_return_offset_by_a_run foreign key (organization_id, offset_by_run_id) references management_fee_run (organization_id, id)
    );
    create index management_fee_return_by_run on management_fee_return (organization_id, run_id);
    create index management_fee_return_owed on management_fee_return (organization_id, property_id) where effect = 'owed' and offset_by_run_id is null;
    create index management_fee_return_by_offset on management_fee_return (organization_id, offset_by_run_id) where offset_by_run_id is not null;
    ${rowLevelSecuritySql("management_fee_return")}`);
    this.addSql(`alter table journal_entry drop constraint journal_entry_source_known,
      add constraint journal_entry_source_known check (source in (${sources.map((source) => `'${source}'`).join(", ")}))`);
  }
}
