import { batchPolicySql } from "@freehold/kit/db/entity";
import { batchShardSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** Tables that a batch of payments reads or writes, directly or by a trigger. */
const batchTables = [
  "book",
  "tenant_copy",
  "lease_copy",
  "property_copy",
  "unit_copy",
  "charge",
  "open_charge",
  "payment",
  "payment_allocation",
  "journal_entry",
  "journal_line",
  "account_month",
  "list_total",
];

/**
 * Batches of payments of several organizations. Three functions read and record a batch as the owner of the tables, whom a policy
 * limits to the organizations of the batch; the service's role can only execute them. Every row names its organization, and
 * every join includes it. The triggers that a batch fires accept rows of several organizations.
 */
export class PaymentBatches extends Migration {
  override up(): void {
    this.addSql(batchTables.map(batchPolicySql).join(""));
    this.addSql(batchShardSql);
    this.addSql(`create or replace function require_open_period() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      closed_date date;
    begin
      -- In the order of the organizations, so that two transactions that post for several cannot deadlock.
      perform pg_advisory_xact_lock_shared(period_lock_key(organization_id)) from (select distinct organization_id from added order by 1) posted;
      select first_date into closed_date from (select organization_id, min(entry_date) as first_date from added group by 1) posted
        where first_date < first_open_day(organization_id) limit 1;
      if closed_date is not null then
        raise exception 'the accounting period of % is closed', closed_date using errcode = 'serialization_failure', constraint = 'accounting_period_open';
      end if;
      return null;
    end $$`);
    this.addSql(`drop trigger keep_open_charges on charge; drop function keep_open_charges();
    create function keep_added_open_charges() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      insert into open_charge select organization_id, id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents from added where balance_cents > 0;
      return null;
    end $$;
    create function keep_changed_open_charges() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      delete from open_charge using changed
        where changed.balance_cents = 0 and open_charge.organization_id = changed.organization_id and open_charge.charge_id = changed.id;
      insert into open_charge as kept
        select organization_id, id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents from changed where balance_cents > 0 order by organization_id, id
        on conflict (organization_id, charge_id) do update set balance_cents = excluded.balance_cents where kept.balance_cents <> excluded.balance_cents;
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, 'open_charge', own_shard(organization_id), sum(rows), sum(amount_cents)
        from (select organization_id, (balance_cents > 0)::int as rows, balance_cents as amount_cents from changed
          union all select organization_id, -(balance_cents > 0)::int, -balance_cents from before) difference
        group by 1 having sum(amount_cents) <> 0 or sum(rows) <> 0 order by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      return null;
    end $$;
    create trigger keep_added_open_charges after insert on charge referencing new table as added for each statement execute function keep_added_open_charges();
    create trigger keep_changed_open_charges after update on charge referencing old table as before new table as changed for each statement execute function keep_changed_open_charges()`);
    this.addSql(`create or replace function keep_balances() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      is_unbalanced boolean;
      is_incomplete boolean;
    begin
      -- The count of all lines of the entry differs from the count of the added ones if the entry had lines before.
      select bool_or(not line.is_balanced), bool_or(e.id is null or line.lines <> (select count(*) from journal_line l where l.organization_id = line.organization_id and l.entry_id = line.entry_id))
        into is_unbalanced, is_incomplete
        from (select organization_id, entry_id, count(*) as lines, sum(debit_cents) as debit_cents, min(entry_date) as first_date, max(entry_date) as last_date,
            sum(debit_cents) = sum(credit_cents)
              and sum(debit_cents) filter (where cash_account_id is not null) is not distinct from sum(credit_cents) filter (where cash_account_id is not null) as is_balanced
          from added group by 1, 2) line
        left join journal_entry e on e.organization_id = line.organization_id and e.id = line.entry_id and e.status = 'posted'
          and e.debit_total_cents = line.debit_cents and e.entry_date = line.first_date and e.entry_date = line.last_date;
      if is_unbalanced then
        raise exception 'a journal entry does not balance' using errcode = 'check_violation', constraint = 'journal_entry_balances';
      end if;
      if is_incomplete then
        raise exception 'a journal entry gets its lines once, when it is posted' using errcode = 'check_violation', constraint = 'journal_entry_posted_with_lines';
      end if;
      insert into account_month as kept (organization_id, account_id, month, shard, debit_cents, credit_cents, lines, cash_debit_cents, cash_credit_cents, cash_lines)
        select organization_id, account_id, date_trunc('month', entry_date)::date, own_shard(organization_id),
          sum(debit_cents * is_accrual), sum(credit_cents * is_accrual), sum(is_accrual), sum(debit_cents * is_cash), sum(credit_cents * is_cash), sum(is_cash)
        from (select organization_id, account_id, entry_date, debit_cents, credit_cents, 1 as is_accrual, (cash_account_id is not distinct from account_id)::int as is_cash from added
          union all select organization_id, cash_account_id, entry_date, debit_cents, credit_cents, 0, 1 from added where cash_account_id <> account_id) line
        group by 1, 2, 3 order by 2, 3
        on conflict (organization_id, account_id, month, shard)
        do update set debit_cents = kept.debit_cents + excluded.debit_cents, credit_cents = kept.credit_cents + excluded.credit_cents, lines = kept.lines + excluded.lines,
          cash_debit_cents = kept.cash_debit_cents + excluded.cash_debit_cents, cash_credit_cents = kept.cash_credit_cents + excluded.cash_credit_cents,
          cash_lines = kept.cash_lines + excluded.cash_lines;
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, 'journal_entry', own_shard(organization_id), count(distinct entry_id), sum(debit_cents) from added group by 1 order by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      return null;
    end $$`);
    this.addSql(`create or replace function keep_list_total() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
        select organization_id, tg_table_name, own_shard(organization_id), count(*), sum(amount_cents) from added group by 1 order by 1
        on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      if tg_table_name = 'charge' then
        insert into list_total as kept (organization_id, list, shard, rows, amount_cents)
          select organization_id, 'open_charge', own_shard(organization_id), count(*), sum(balance_cents) from added where balance_cents > 0 group by 1 order by 1
          on conflict (organization_id, list, shard) do update set rows = kept.rows + excluded.rows, amount_cents = kept.amount_cents + excluded.amount_cents;
      end if;
      return null;
    end $$`);
    this.addSql(`create function read_payment_contexts(organizations uuid[], requests jsonb)
      returns table (place int, is_key_used boolean, tenant_name text, tenant_version int, merged_into_id uuid, is_deleted boolean, timezone text, first_open_day date,
        lease_id uuid, lease_version int, start_date date, end_date date, lease_status text, is_payer boolean,
        property_id uuid, property_name text, city text, state text, unit_id uuid, unit_number text)
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      perform set_config('app.batch_organizations', array_to_string(organizations, ','), true);
      return query select input.place,
          exists (select from payment p where p.organization_id = input.organization_id and p.idempotency_key = input.idempotency_key),
          t.full_name, t.version, t.merged_into_id, t.is_deleted, b.timezone, coalesce(b.soft_closed_through + 1, '-infinity'),
          l.id, l.version, l.start_date, l.end_date, l.status, input.tenant_id = any(l.payer_ids),
          l.property_id, pr.name, pr.city, pr.state, l.unit_id, u.unit_number
        from jsonb_to_recordset(requests) as input (place int, organization_id uuid, tenant_id uuid, lease_id uuid, idempotency_key text)
          join book b on b.organization_id = input.organization_id and b.id = input.organization_id
          join tenant_copy t on t.organization_id = input.organization_id and t.id = input.tenant_id
          left join lease_copy l on l.organization_id = input.organization_id and l.id = input.lease_id
          left join property_copy pr on pr.organization_id = input.organization_id and pr.id = l.property_id
          left join unit_copy u on u.organization_id = input.organization_id and u.id = l.unit_id;
    end $$`);
    this.addSql(`create function read_payment_charges(organizations uuid[], organization_ids uuid[], charge_ids uuid[])
      returns table (organization_id uuid, id uuid, lease_id uuid, tenant_id uuid, property_id uuid, unit_id uuid, charge_type text, category_id uuid, due_date date,
        reopened_on date, open_before_reopening_cents bigint, amount_cents bigint, allocated_cents bigint, credited_cents bigint, balance_cents bigint, status text, name text, version int)
      language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      perform set_config('app.batch_organizations', array_to_string(organizations, ','), true);
      return query select c.organization_id, c.id, c.lease_id, c.tenant_id, c.property_id, c.unit_id, c.charge_type, c.category_id, c.due_date,
          c.reopened_on, c.open_before_reopening_cents, c.amount_cents, c.allocated_cents, c.credited_cents, c.balance_cents, c.status, c.name, c.version
        from unnest(organization_ids, charge_ids) as input (organization_id, id) join charge c on c.organization_id = input.organization_id and c.id = input.id;
    end $$`);
    this.addSql(`create function record_payments(organizations uuid[], recorded_at timestamptz, charges jsonb, payments jsonb, entries jsonb, lines jsonb, allocations jsonb, events json)
      returns void language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '100ms' as $$
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
    end $$`);
    this.addSql(`create function require_batch_rows(actual int, expected int) returns void language plpgsql as $$
    begin
      if actual <> expected then
        raise exception 'rows of the batch have changed since they were read' using errcode = 'serialization_failure';
      end if;
    end $$`);
    this.addSql(
      ["read_payment_contexts", "read_payment_charges", "record_payments"].map((name) => `revoke execute on function ${name} from public`).join("; "),
    );
  }
}
