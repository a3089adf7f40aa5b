import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Security deposits, with their charges, deductions and transactions. Each tenancy with deposit charges gets its deposit, whose id is that
 * of the first of these charges. Replicas of the version before post deposit charges without one: the next operation on the deposits of
 * the tenancy attaches them.
 */
export class SecurityDeposits extends Migration {
  override up(): void {
    this.addSql(`create table security_deposit (${orgColumnsSql},
      tenancy_id uuid not null,
      lease_id uuid not null,
      tenant_id uuid not null,
      property_id uuid not null,
      unit_id uuid not null,
      bank_account_id uuid,
      holder text not null,
      required_cents bigint not null,
      is_open boolean not null default true,
      move_out_date date,
      disposition_due_on date,
      forwarding_address text,
      disposition_sent_at timestamptz(3),
      disposition_method text,
      disposition_entry_id uuid,
      constraint security_deposit_amount_positive check (required_cents > 0),
      constraint security_deposit_holder_known check (holder in ('organization', 'owner')),
      constraint security_deposit_sent_by_a_method check ((disposition_sent_at is null) = (disposition_method is null)),
      constraint security_deposit_in_a_bank_account foreign key (organization_id, bank_account_id) references bank_account (organization_id, id)
    );
    create unique index security_deposit_one_open on security_deposit (organization_id, tenancy_id) where is_open;
    create index security_deposit_by_tenancy on security_deposit (organization_id, tenancy_id);
    create index security_deposit_by_lease on security_deposit (organization_id, lease_id);
    create index security_deposit_by_tenant on security_deposit (organization_id, tenant_id);
    create index security_deposit_by_property on security_deposit (organization_id, property_id);
    create table security_deposit_charge (${orgColumnsSql},
      security_deposit_id uuid not null,
      constraint security_deposit_charge_of_a_deposit foreign key (organization_id, security_deposit_id) references security_deposit (organization_id, id),
      constraint security_deposit_charge_is_a_charge foreign key (organization_id, id) references charge (organization_id, id)
    );
    create index security_deposit_charge_by_deposit on security_deposit_charge (organization_id, security_deposit_id);`);
    this.addSql(`alter table charge no force row level security; alter table lease_copy no force row level security`);
    this.addSql(`insert into security_deposit (organization_id, id, created_at, updated_at, tenancy_id, lease_id, tenant_id, property_id, unit_id, holder, required_cents)
      select distinct on (c.organization_id, l.tenancy_id) c.organization_id, c.id, c.created_at, c.created_at, l.tenancy_id, coalesce(c.deposit_lease_id, c.lease_id),
        c.tenant_id, c.property_id, c.unit_id, 'organization', sum(c.amount_cents) over (partition by c.organization_id, l.tenancy_id)
      from charge c join lease_copy l on l.organization_id = c.organization_id and l.id = c.lease_id
      where c.charge_type = 'deposit' and c.status <> 'voided' order by c.organization_id, l.tenancy_id, c.id`);
    this.addSql(`insert into security_deposit_charge (organization_id, id, created_at, updated_at, security_deposit_id)
      select c.organization_id, c.id, c.created_at, c.created_at, d.id from charge c join lease_copy l on l.organization_id = c.organization_id and l.id = c.lease_id
        join security_deposit d on d.organization_id = c.organization_id and d.tenancy_id = l.tenancy_id
      where c.charge_type = 'deposit' and c.status <> 'voided'`);
    this.addSql(`alter table charge force row level security; alter table lease_copy force row level security;
      ${rowLevelSecuritySql("security_deposit")} ${rowLevelSecuritySql("security_deposit_charge")}`);
    this.addSql(`create table security_deposit_deduction (${orgColumnsSql},
      security_deposit_id uuid not null,
      category text not null,
      description text not null,
      amount_cents bigint not null,
      charge_id uuid,
      entry_id uuid,
      credit_id uuid,
      constraint security_deposit_deduction_positive check (amount_cents > 0),
      constraint security_deposit_deduction_of_a_deposit foreign key (organization_id, security_deposit_id) references security_deposit (organization_id, id)
    );
    create index security_deposit_deduction_by_deposit on security_deposit_deduction (organization_id, security_deposit_id);
    ${rowLevelSecuritySql("security_deposit_deduction")}`);
    this.addSql(`create table security_deposit_transaction (${orgColumnsSql},
      security_deposit_id uuid not null,
      kind text not null,
      amount_cents bigint not null,
      occurred_on date not null,
      charge_id uuid,
      owner_id uuid,
      counterpart_id uuid,
      method text,
      bank_account_id uuid,
      account_id uuid,
      reference_number text,
      payees text[] not null,
      entry_id uuid,
      credit_ids uuid[] not null,
      voided_at timestamptz(3),
      void_reason text,
      constraint security_deposit_transaction_positive check (amount_cents > 0),
      constraint security_deposit_transaction_kind_known check (kind in ('receipt', 'application', 'transfer_in', 'transfer_out', 'owner_transfer', 'refund')),
      constraint security_deposit_transaction_of_a_deposit foreign key (organization_id, security_deposit_id) references security_deposit (organization_id, id)
    );
    create index security_deposit_transaction_by_deposit on security_deposit_transaction (organization_id, security_deposit_id);
    ${rowLevelSecuritySql("security_deposit_transaction")}`);
    this.addSql(`alter table property_copy add deposit_deadline_days int`);
    this.addSql(`alter table charge_credit add security_deposit_id uuid`);
    this.addSql(`create index journal_line_by_deposit on journal_line (organization_id, deposit_id) where deposit_id is not null`);
    // Extends the current condition, whatever sources it has.
    this.addSql(`do $$ declare condition text := (select pg_get_constraintdef(oid) from pg_constraint where conname = 'journal_entry_source_known' and conrelid = 'journal_entry'::regclass);
      begin
        execute format('alter table journal_entry drop constraint journal_entry_source_known, add constraint journal_entry_source_known check (%s or source = %L)',
          substring(condition from 7), 'security_deposit');
      end $$`);
  }
}
