import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Recurring charge rules, charges, payments, and the allocations and reversals of payments. */
export class Receivables extends Migration {
  override up(): void {
    this.addSql(`create table recurring_charge_rule (${orgColumnsSql},
      lease_id uuid,
      unit_id uuid,
      property_id uuid,
      tenant_id uuid,
      amount_cents bigint not null,
      category_id uuid not null,
      day_of_month smallint not null,
      start_date date not null,
      end_date date,
      post_from date not null,
      kind text not null,
      label text not null,
      status text not null,
      is_lease_rent boolean not null,
      prorates_first_month boolean not null,
      constraint recurring_charge_amount_positive check (amount_cents > 0),
      constraint recurring_charge_on_an_account foreign key (organization_id, category_id) references category (organization_id, id)
    );
    create unique index recurring_charge_one_rent_a_lease on recurring_charge_rule (organization_id, lease_id) where is_lease_rent;
    create index recurring_charge_by_lease on recurring_charge_rule (organization_id, lease_id);
    create index recurring_charge_by_unit on recurring_charge_rule (organization_id, unit_id);
    create index recurring_charge_by_status on recurring_charge_rule (organization_id, status);
    ${rowLevelSecuritySql("recurring_charge_rule")}`);
    this.addSql(`create table charge (${orgColumnsSql},
      lease_id uuid not null,
      tenant_id uuid not null,
      property_id uuid not null,
      unit_id uuid not null,
      recurring_charge_rule_id uuid,
      name text not null,
      charge_type text not null,
      category_id uuid not null,
      amount_cents bigint not null,
      allocated_cents bigint not null,
      credited_cents bigint not null,
      balance_cents bigint not null,
      due_date date not null,
      posted_at timestamptz(3) not null,
      period_start date,
      period_end date,
      status text not null,
      memo text,
      entry_id uuid not null,
      voided_at timestamptz(3),
      void_reason text,
      overdue_announced_at timestamptz(3),
      constraint charge_amount_positive check (amount_cents > 0),
      constraint charge_never_overpaid check (balance_cents >= 0 and allocated_cents >= 0 and credited_cents >= 0),
      constraint charge_balance_is_what_is_left check (balance_cents = case when status = 'voided' then 0 else amount_cents - allocated_cents - credited_cents end),
      constraint charge_on_an_account foreign key (organization_id, category_id) references category (organization_id, id),
      constraint charge_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id),
      constraint charge_of_a_rule foreign key (organization_id, recurring_charge_rule_id) references recurring_charge_rule (organization_id, id)
    ) with (fillfactor = 80);
    create unique index charge_period_posted_once on charge (organization_id, recurring_charge_rule_id, period_start);
    create index charge_by_lease on charge (organization_id, lease_id, due_date);
    create index charge_by_tenant on charge (organization_id, tenant_id);
    create index charge_by_property on charge (organization_id, property_id);
    create index charge_by_due_date on charge (organization_id, due_date);
    ${rowLevelSecuritySql("charge")}`);
    this.addSql(`create table payment (${orgColumnsSql},
      tenant_id uuid not null,
      lease_id uuid,
      property_id uuid,
      unit_id uuid,
      amount_cents bigint not null,
      unallocated_cents bigint not null,
      payment_method text not null,
      check_number text,
      received_at timestamptz(3) not null,
      status text not null,
      idempotency_key text not null,
      request_hash text not null,
      answer text not null,
      entry_id uuid not null,
      constraint payment_amount_positive check (amount_cents > 0),
      constraint payment_never_over_allocated check (unallocated_cents between 0 and amount_cents),
      constraint payment_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create unique index payment_idempotency_key_once on payment (organization_id, idempotency_key);
    create index payment_by_receipt on payment (organization_id, received_at);
    create index payment_by_tenant on payment (organization_id, tenant_id);
    create index payment_by_lease on payment (organization_id, lease_id);
    ${rowLevelSecuritySql("payment")}`);
    this.addSql(`create table payment_allocation (${orgColumnsSql},
      payment_id uuid not null,
      charge_id uuid not null,
      amount_cents bigint not null,
      entry_id uuid not null,
      constraint payment_allocation_amount_positive check (amount_cents > 0),
      constraint payment_allocation_of_a_payment foreign key (organization_id, payment_id) references payment (organization_id, id),
      constraint payment_allocation_to_a_charge foreign key (organization_id, charge_id) references charge (organization_id, id)
    );
    create index payment_allocation_by_payment on payment_allocation (organization_id, payment_id);
    create index payment_allocation_by_charge on payment_allocation (organization_id, charge_id);
    ${rowLevelSecuritySql("payment_allocation")}`);
    this.addSql(`create table payment_reversal (${orgColumnsSql},
      payment_id uuid not null,
      entry_id uuid not null,
      reason text not null,
      memo text,
      reversed_at timestamptz(3) not null,
      constraint payment_reversal_of_a_payment foreign key (organization_id, payment_id) references payment (organization_id, id),
      constraint payment_reversal_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create unique index payment_reversed_once on payment_reversal (organization_id, payment_id);
    ${rowLevelSecuritySql("payment_reversal")}`);
  }
}
