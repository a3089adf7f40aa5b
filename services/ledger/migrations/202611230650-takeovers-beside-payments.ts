import { Migration } from "@mikro-orm/migrations";

/**
 * Stores the time at which a renewal took over the money of the lease before it, in the transaction that moves the money. Batches of
 * payments read this time, and block takeovers of their leases until they commit.
 */
export class TakeoversBesidePayments extends Migration {
  override up(): void {
    this.addSql(`alter table lease_copy add took_over_at timestamptz(3)`);
    this.addSql(`alter table lease_copy no force row level security`);
    this.addSql(`update lease_copy set took_over_at = coalesce(billing_started_at, updated_at) where billing_started_as = 'active' and tenancy_id <> id`);
    this.addSql(`alter table lease_copy force row level security`);
    this.addSql(`create or replace function read_payment_contexts(organizations uuid[], organization_ids uuid[], tenant_ids uuid[], lease_ids uuid[], idempotency_keys text[])
      returns table (place bigint, is_key_used boolean, tenant_name text, tenant_version int, merged_into_id uuid, is_deleted boolean, timezone text, first_open_day date,
        lease_id uuid, lease_version int, start_date date, end_date date, lease_status text, is_payer boolean,
        property_id uuid, property_name text, city text, state text, unit_id uuid, unit_number text, is_taken_over boolean)
      language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    begin
      perform set_config('app.batch_organizations', array_to_string(organizations, ','), true);
      return query select input.place - 1,
          exists (select from payment p where p.organization_id = input.organization_id and p.idempotency_key = input.idempotency_key),
          t.full_name, t.version, t.merged_into_id, t.is_deleted, b.timezone, coalesce(b.soft_closed_through + 1, '-infinity'),
          l.id, l.version, l.start_date, l.end_date, l.status, input.tenant_id = any(l.payer_ids),
          l.property_id, pr.name, pr.city, pr.state, l.unit_id, u.unit_number,
          exists (select from lease_copy r where r.organization_id = l.organization_id and r.tenancy_id = l.tenancy_id and r.start_date > l.start_date and r.took_over_at is not null)
        from unnest(organization_ids, tenant_ids, lease_ids, idempotency_keys) with ordinality as input (organization_id, tenant_id, lease_id, idempotency_key, place)
          join book b on b.organization_id = input.organization_id and b.id = input.organization_id
          join tenant_copy t on t.organization_id = input.organization_id and t.id = input.tenant_id
          left join lease_copy l on l.organization_id = input.organization_id and l.id = input.lease_id
          left join property_copy pr on pr.organization_id = input.organization_id and pr.id = l.property_id
          left join unit_copy u on u.organization_id = input.organization_id and u.id = l.unit_id;
    end $$`);
    this.addSql(`create or replace function record_payments(
        organizations uuid[], recorded_at timestamptz, charge_organizations uuid[], charge_ids uuid[], charge_versions int[],
        charge_allocated_cents bigint[], charge_balance_cents bigint[], charge_statuses text[], charge_settled_before_reopening_cents bigint[],
        payment_organizations uuid[], payment_ids uuid[], payment_created_at timestamptz[], payment_tenants uuid[], payment_tenant_versions int[],
        payment_leases uuid[], payment_lease_versions int[], payment_timezones text[], payment_properties uuid[], payment_units uuid[],
        payment_amount_cents bigint[], payment_unallocated_cents bigint[], payment_methods text[], payment_check_numbers text[],
        payment_received_at timestamptz[], payment_idempotency_keys text[], payment_request_hashes text[], payment_answers text[],
        payment_entries uuid[], event_ids uuid[], event_envelopes json[], event_trace_parents text[], entry_organizations uuid[], entry_ids uuid[],
        entry_memos text[], entry_occurred_at timestamptz[], entry_dates date[], entry_sources text[], entry_source_types text[],
        entry_source_ids uuid[], entry_debit_total_cents bigint[], entry_credit_total_cents bigint[], entry_created_by_user_ids uuid[],
        line_organizations uuid[], line_ids uuid[], line_entries uuid[], line_accounts uuid[], line_cash_accounts uuid[], line_entry_dates date[],
        line_debit_cents bigint[], line_credit_cents bigint[], line_properties uuid[], line_units uuid[], line_leases uuid[], line_tenants uuid[],
        line_charges uuid[], line_payments uuid[], line_descriptions text[], allocation_organizations uuid[], allocation_ids uuid[],
        allocation_payments uuid[], allocation_charges uuid[], allocation_amount_cents bigint[], allocation_entries uuid[])
      returns void language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '100ms'
      set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
    declare
      row_count int;
    begin
      perform set_config('app.batch_organizations', array_to_string(organizations, ','), true);
      perform hold_batch_shard();
      -- No renewal takes over the leases before the commit. A lease whose billing is changing now may be taken over, so the batch does not wait for it.
      perform from (select distinct lease_id from unnest(payment_leases) as input (lease_id) where lease_id is not null) as leases
        where not pg_try_advisory_xact_lock_shared(hashtextextended(lease_id::text, 0));
      get diagnostics row_count = row_count;
      perform require_unchanged_rows(row_count, 0);
      update charge set allocated_cents = input.allocated_cents, balance_cents = input.balance_cents, status = input.status, updated_at = recorded_at, version = charge.version + 1,
          open_before_reopening_cents = open_before_reopening_cents - input.settled_before_reopening_cents
        from unnest(charge_organizations, charge_ids, charge_versions, charge_allocated_cents, charge_balance_cents, charge_statuses, charge_settled_before_reopening_cents)
          as input (organization_id, id, version, allocated_cents, balance_cents, status, settled_before_reopening_cents)
        where charge.organization_id = input.organization_id and charge.id = input.id and charge.version = input.version;
      get diagnostics row_count = row_count;
      perform require_unchanged_rows(row_count, cardinality(charge_ids));
      perform from unnest(payment_organizations, payment_tenants, payment_leases, payment_tenant_versions, payment_lease_versions, payment_timezones)
          as input (organization_id, tenant_id, lease_id, tenant_version, lease_version, timezone)
        join book b on b.organization_id = input.organization_id and b.id = input.organization_id and b.timezone = input.timezone
        join tenant_copy t on t.organization_id = input.organization_id and t.id = input.tenant_id and t.version = input.tenant_version
        left join lease_copy l on l.organization_id = input.organization_id and l.id = input.lease_id
        where l.version is not distinct from input.lease_version;
      get diagnostics row_count = row_count;
      perform require_unchanged_rows(row_count, cardinality(payment_ids));
      insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, source_type, source_id, debit_total_cents, credit_total_cents, created_by_user_id)
        select organization_id, id, recorded_at, recorded_at, memo, occurred_at, entry_date, 'posted', source, source_type, source_id, debit_total_cents, credit_total_cents, created_by_user_id
        from unnest(entry_organizations, entry_ids, entry_memos, entry_occurred_at, entry_dates, entry_sources, entry_source_types, entry_source_ids, entry_debit_total_cents,
            entry_credit_total_cents, entry_created_by_user_ids)
          as input (organization_id, id, memo, occurred_at, entry_date, source, source_type, source_id, debit_total_cents, credit_total_cents, created_by_user_id);
      insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, property_id, unit_id, lease_id, tenant_id, charge_id, payment_id, description)
        select * from unnest(line_organizations, line_ids, line_entries, line_accounts, line_cash_accounts, line_entry_dates, line_debit_cents, line_credit_cents, line_properties,
          line_units, line_leases, line_tenants, line_charges, line_payments, line_descriptions);
      insert into payment (organization_id, id, created_at, updated_at, tenant_id, lease_id, property_id, unit_id, amount_cents, unallocated_cents, payment_method, check_number, received_at, status,
          idempotency_key, request_hash, answer, entry_id)
        select organization_id, id, created_at, created_at, tenant_id, lease_id, property_id, unit_id, amount_cents, unallocated_cents, payment_method, check_number, received_at, 'received',
          idempotency_key, request_hash, answer, entry_id
        from unnest(payment_organizations, payment_ids, payment_created_at, payment_tenants, payment_leases, payment_properties, payment_units, payment_amount_cents,
            payment_unallocated_cents, payment_methods, payment_check_numbers, payment_received_at, payment_idempotency_keys, payment_request_hashes, payment_answers, payment_entries)
          as input (organization_id, id, created_at, tenant_id, lease_id, property_id, unit_id, amount_cents,
            unallocated_cents, payment_method, check_number, received_at, idempotency_key, request_hash, answer, entry_id);
      insert into payment_allocation (organization_id, id, created_at, updated_at, payment_id, charge_id, amount_cents, entry_id)
        select organization_id, id, recorded_at, recorded_at, payment_id, charge_id, amount_cents, entry_id
        from unnest(allocation_organizations, allocation_ids, allocation_payments, allocation_charges, allocation_amount_cents, allocation_entries)
          as input (organization_id, id, payment_id, charge_id, amount_cents, entry_id);
      insert into outbox (event_id, organization_id, envelope, trace_parent)
        select event_id, organization_id, envelope, trace_parent
        from unnest(payment_organizations, payment_ids, event_ids, event_envelopes, event_trace_parents) as input (organization_id, payment_id, event_id, envelope, trace_parent)
        where (envelope ->> 'organizationId')::uuid = organization_id and (envelope ->> 'entityId')::uuid = payment_id;
      get diagnostics row_count = row_count;
      perform require_unchanged_rows(row_count, cardinality(payment_ids));
    end $$`);
  }
}
