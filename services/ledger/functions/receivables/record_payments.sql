CREATE OR REPLACE FUNCTION public.record_payments(organizations uuid[], recorded_at timestamp with time zone, charges jsonb, payments jsonb, entries jsonb, lines jsonb, allocations jsonb, events json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '100ms'
AS $function$
    declare
      row_count int;
    begin
      perform set_config('app.batch_organizations', array_to_string(organizations, ','), true);
      perform hold_batch_shard();
      update charge set allocated_cents = input.allocated_cents, balance_cents = input.balance_cents, status = input.status, updated_at = recorded_at, version = charge.version + 1,
          open_before_reopening_cents = open_before_reopening_cents - input.settled_before_reopening_cents
        from jsonb_to_recordset(charges) as input (organization_id uuid, id uuid, version int, allocated_cents bigint, balance_cents bigint, status text, settled_before_reopening_cents bigint)
        where charge.organization_id = input.organization_id and charge.id = input.id and charge.version = input.version;
      get diagnostics row_count = row_count;
      perform require_batch_rows(row_count, jsonb_array_length(charges));
      perform from jsonb_to_recordset(payments) as input (organization_id uuid, tenant_id uuid, lease_id uuid, tenant_version int, lease_version int, timezone text)
        join book b on b.organization_id = input.organization_id and b.id = input.organization_id and b.timezone = input.timezone
        join tenant_copy t on t.organization_id = input.organization_id and t.id = input.tenant_id and t.version = input.tenant_version
        left join lease_copy l on l.organization_id = input.organization_id and l.id = input.lease_id
        where l.version is not distinct from input.lease_version;
      get diagnostics row_count = row_count;
      perform require_batch_rows(row_count, jsonb_array_length(payments));
      insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, source_type, source_id, debit_total_cents, credit_total_cents, created_by_user_id)
        select organization_id, id, recorded_at, recorded_at, memo, occurred_at, entry_date, 'posted', source, source_type, source_id, debit_total_cents, credit_total_cents, created_by_user_id
        from jsonb_to_recordset(entries) as input (organization_id uuid, id uuid, memo text, occurred_at timestamptz, entry_date date, source text, source_type text, source_id uuid,
          debit_total_cents bigint, credit_total_cents bigint, created_by_user_id uuid);
      insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, property_id, unit_id, lease_id, tenant_id, charge_id, payment_id, description)
        select organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, property_id, unit_id, lease_id, tenant_id, charge_id, payment_id, description
        from jsonb_to_recordset(lines) as input (organization_id uuid, id uuid, entry_id uuid, account_id uuid, cash_account_id uuid, entry_date date, debit_cents bigint, credit_cents bigint,
          property_id uuid, unit_id uuid, lease_id uuid, tenant_id uuid, charge_id uuid, payment_id uuid, description text);
      insert into payment (organization_id, id, created_at, updated_at, tenant_id, lease_id, property_id, unit_id, amount_cents, unallocated_cents, payment_method, check_number, received_at, status,
          idempotency_key, request_hash, answer, entry_id)
        select organization_id, id, created_at, created_at, tenant_id, lease_id, property_id, unit_id, amount_cents, unallocated_cents, payment_method, check_number, received_at, 'received',
          idempotency_key, request_hash, answer, entry_id
        from jsonb_to_recordset(payments) as input (organization_id uuid, id uuid, created_at timestamptz, tenant_id uuid, lease_id uuid, property_id uuid, unit_id uuid, amount_cents bigint, unallocated_cents bigint,
          payment_method text, check_number text, received_at timestamptz, idempotency_key text, request_hash text, answer text, entry_id uuid);
      insert into payment_allocation (organization_id, id, created_at, updated_at, payment_id, charge_id, amount_cents, entry_id)
        select organization_id, id, recorded_at, recorded_at, payment_id, charge_id, amount_cents, entry_id
        from jsonb_to_recordset(allocations) as input (organization_id uuid, id uuid, payment_id uuid, charge_id uuid, amount_cents bigint, entry_id uuid);
      insert into outbox (event_id, organization_id, envelope, trace_parent)
        select (envelope ->> 'id')::uuid, payment.organization_id, envelope, trace_parent
        from json_to_recordset(events) as input (envelope json, trace_parent text)
          join jsonb_to_recordset(payments) as payment (organization_id uuid, id uuid)
            on payment.organization_id = (envelope ->> 'organizationId')::uuid and payment.id = (envelope ->> 'entityId')::uuid;
      get diagnostics row_count = row_count;
      perform require_batch_rows(row_count, json_array_length(events));
    end $function$;
