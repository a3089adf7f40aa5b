import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Adds indexes, and the table of open charges that a trigger maintains, so that lists stay fast in organizations with millions of
 * journal lines.
 */
export class Growth extends Migration {
  override up(): void {
    // The partial indexes contain few rows, such as payments with unallocated credit, so most inserts do not write to them.
    this.addSql(`create index payment_with_credit on payment (organization_id, received_at) where unallocated_cents > 0;
      create index payment_credit_by_tenant on payment (organization_id, tenant_id) where unallocated_cents > 0;
      create index payment_credit_by_lease on payment (organization_id, lease_id) where unallocated_cents > 0;
      create index charge_deposit_by_lease on charge (organization_id, lease_id) where charge_type = 'deposit';
      create index payment_by_check on payment (organization_id, check_number) where check_number is not null;
      create index journal_entry_drafts on journal_entry (organization_id) where status = 'draft';
      create index journal_entry_by_hand on journal_entry (organization_id, occurred_at) where source = 'manual';
      create index lease_copy_by_property on lease_copy (organization_id, property_id)`);
    // Open charges are a table instead of a partial index on balance_cents: an update of an indexed column writes to all indexes of the charge.
    this.addSql(`create table open_charge (
      organization_id uuid not null,
      charge_id uuid not null,
      lease_id uuid not null,
      tenant_id uuid not null,
      property_id uuid not null,
      charge_type text not null,
      due_date date not null,
      amount_cents bigint not null,
      balance_cents bigint not null,
      primary key (organization_id, charge_id),
      constraint open_charge_is_a_charge foreign key (organization_id, charge_id) references charge (organization_id, id)
    ) with (fillfactor = 70);
    create index open_charge_by_due_date on open_charge (organization_id, due_date);
    create index open_charge_by_lease on open_charge (organization_id, lease_id);
    create index open_charge_by_tenant on open_charge (organization_id, tenant_id);
    create index open_charge_by_property on open_charge (organization_id, property_id);
    alter table charge no force row level security;
    insert into open_charge select organization_id, id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents from charge where balance_cents > 0;
    alter table charge force row level security;
    ${rowLevelSecuritySql("open_charge")}`);
    this.addSql(`create function keep_open_charges() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if new.balance_cents = 0 then
        delete from open_charge where organization_id = new.organization_id and charge_id = new.id;
      else
        insert into open_charge values (new.organization_id, new.id, new.lease_id, new.tenant_id, new.property_id, new.charge_type, new.due_date, new.amount_cents, new.balance_cents)
          on conflict (organization_id, charge_id) do update set balance_cents = excluded.balance_cents;
      end if;
      return null;
    end $$;
    create trigger keep_open_charges after insert or update of balance_cents on charge for each row execute function keep_open_charges()`);
    // Covering indexes: index-only scans find the entries of a property or an account.
    this.addSql(`drop index journal_line_by_property;
      create index journal_line_by_property on journal_line (organization_id, property_id, entry_date) include (entry_id) where property_id is not null;
      drop index journal_line_by_account;
      create index journal_line_by_account on journal_line (organization_id, account_id, entry_date) include (entry_id)`);
  }
}
