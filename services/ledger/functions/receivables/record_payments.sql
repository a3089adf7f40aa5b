CREATE OR REPLACE FUNCTION public.record_payments(organizations uuid[], recorded_at timestamp with time zone, charge_organizations uuid[], charge_ids uuid[], charge_versions integer[], charge_allocated_cents bigint[], charge_balance_cents bigint[], charge_statuses text[], charge_settled_before_reopening_cents bigint[], payment_organizations uuid[], payment_ids uuid[], payment_created_at timestamp with time zone[], payment_tenants uuid[], payment_tenant_versions integer[], payment_leases uuid[], payment_lease_versions integer[], payment_timezones text[], payment_properties uuid[], payment_units uuid[], payment_amount_cents bigint[], payment_unallocated_cents bigint[], payment_methods text[], payment_check_numbers text[], payment_received_at timestamp with time zone[], payment_idempotency_keys text[], payment_request_hashes text[], payment_answers text[], payment_entries uuid[], event_ids uuid[], event_envelopes json[], event_trace_parents text[], entry_organizations uuid[], entry_ids uuid[], entry_memos text[], entry_occurred_at timestamp with time zone[], entry_dates date[], entry_sources text[], entry_source_types text[], entry_source_ids uuid[], entry_debit_total_cents bigint[], entry_credit_total_cents bigint[], entry_created_by_user_ids uuid[], line_organizations uuid[], line_ids uuid[], line_entries uuid[], line_accounts uuid[], line_cash_accounts uuid[], line_entry_dates date[], line_debit_cents bigint[], line_credit_cents bigint[], line_properties uuid[], line_units uuid[], line_leases uuid[], line_tenants uuid[], line_charges uuid[], line_payments uuid[], line_descriptions text[], allocation_organizations uuid[], allocation_ids uuid[], allocation_payments uuid[], allocation_charges uuid[], allocation_amount_cents bigint[], allocation_entries uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '100ms'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
    end $function$;
