import { Migration } from "@mikro-orm/migrations";

/**
 * The kit's own tables, identical in every service. The relay and the scheduler work across
 * organizations, so only the idempotency keys, which requests read, have row-level security.
 */
class Kit extends Migration {
  override up(): void {
    this.addSql(`create table outbox (
      position bigint generated always as identity primary key,
      event_id uuid not null,
      organization_id uuid not null,
      envelope json not null,
      created_at timestamptz(3) not null default now(),
      published_at timestamptz(3)
    )`);
    this.addSql(`create index outbox_waiting on outbox (position) where published_at is null`);
    this.addSql(`create table relay_lease (name text primary key, holder uuid not null, until timestamptz(3) not null, stream_epoch text)`);
    this.addSql(
      `create table inbox (consumer text not null, event_id uuid not null, received_at timestamptz(3) not null default now(), primary key (consumer, event_id))`,
    );
    this.addSql(`create table parked_event (
      position bigint generated always as identity primary key,
      consumer text not null,
      event_id uuid not null,
      organization_id uuid not null,
      entity_id uuid not null,
      envelope jsonb not null,
      attempts int not null default 0,
      next_attempt_at timestamptz(3) not null,
      error text,
      dead_at timestamptz(3),
      unique (consumer, event_id)
    )`);
    this.addSql(`create index parked_event_by_entity on parked_event (consumer, entity_id, position)`);
    this.addSql(`create table scheduled_work (
      job text not null,
      organization_id uuid not null,
      next_run_at timestamptz(3) not null,
      primary key (job, organization_id)
    )`);
    this.addSql(`create index scheduled_work_due on scheduled_work (next_run_at)`);
    this.addSql(`create table idempotency_key (
      organization_id uuid not null,
      user_id uuid not null,
      operation text not null,
      key text not null,
      fingerprint text not null,
      answer text,
      created_at timestamptz(3) not null,
      primary key (organization_id, user_id, operation, key)
    );
    create index idempotency_key_by_age on idempotency_key (organization_id, created_at);
    alter table idempotency_key enable row level security;
    alter table idempotency_key force row level security;
    create policy own_organization on idempotency_key
      using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
      with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))`);
  }
}

/** Partition leases of consumers: the replica that reads each partition, and the position it has reached. */
class ConsumerShares extends Migration {
  override up(): void {
    this.addSql(`create table consumer_replica (
      consumer text not null,
      holder uuid not null,
      until timestamptz(3) not null,
      primary key (consumer, holder)
    )`);
    this.addSql(`create table consumer_share (
      consumer text not null,
      partition int not null,
      holder uuid,
      until timestamptz(3),
      stream_epoch text,
      sequence bigint not null default 0,
      primary key (consumer, partition)
    )`);
  }
}

/** Trace context of the request that published an event, so that its consumers join the same trace. */
class TracedEvents extends Migration {
  override up(): void {
    this.addSql(`alter table outbox add column trace_parent text`);
  }
}

/** Requests to run a job, one row each, so that concurrent transactions do not wait for each other. */
class WorkRequests extends Migration {
  override up(): void {
    this.addSql(`create table work_request (
      id bigint generated always as identity primary key,
      job text not null,
      organization_id uuid not null,
      requested_at timestamptz(3) not null default now()
    )`);
  }
}

/**
 * Lease of a job, separate from its due time: a run requested during another starts after it, never beside it. Adds the
 * number of consecutive failures.
 */
class WorkClaims extends Migration {
  override up(): void {
    this.addSql(`alter table scheduled_work add column claimed_until timestamptz(3), add column failures int not null default 0`);
  }
}

/** The kit's migrations, executed before those of the service. */
export const kitMigrations = {
  "000-kit": Kit,
  "001-consumer-shares": ConsumerShares,
  "002-traced-events": TracedEvents,
  "003-work-requests": WorkRequests,
  "004-work-claims": WorkClaims,
};

/**
 * SQL of `own_shard`, for counters in shards: returns a shard that no concurrent transaction of the organization uses, so that
 * transactions neither wait for each other's counters nor deadlock on them. While all 32 shards are in use, returns a shared one.
 */
export const ownShardSql = `
  create function own_shard(organization uuid) returns smallint language plpgsql as $$
  declare
    mine text := current_setting('app.own_shard', true);
    shard int;
  begin
    if mine <> '' then return mine::smallint; end if;
    for turn in 0..31 loop
      shard := (pg_backend_pid() + turn) % 32;
      exit when pg_try_advisory_xact_lock(hashtext(organization::text), shard);
    end loop;
    perform set_config('app.own_shard', shard::text, true);
    return shard;
  end $$`;

/**
 * SQL of `hold_batch_shard`, for transactions that write for several organizations: they share counters in shards above those of
 * `own_shard`, chosen independently of the organization. While all 32 are in use, the last one is shared.
 */
export const batchShardSql = `
  create function hold_batch_shard() returns void language plpgsql as $$
  declare
    shard int;
  begin
    for turn in 32..63 loop
      shard := turn;
      exit when pg_try_advisory_xact_lock(hashtext('batch'), shard);
    end loop;
    perform set_config('app.own_shard', shard::text, true);
  end $$`;

/** SQL of the search extensions, and of `words_of`, which joins its arguments to one text between spaces, in lower case and without accents. */
export const searchSupportSql = `
  create extension if not exists pg_trgm; create extension if not exists unaccent; create extension if not exists btree_gin;
  create function words_of(variadic parts text[]) returns text language sql stable set search_path = public as $$
    select ' ' || lower(unaccent('unaccent', array_to_string(parts, ' '))) || ' ' $$`;

/**
 * Returns the SQL of `refresh_search`, which rebuilds the search entries of the given rows. It has one statement for each
 * entity type, with a generic plan cached per connection: planning a statement over all types costs more than running it.
 */
export const refreshSearchSql = (kinds: readonly string[]): string => `
  create or replace function refresh_search(organization uuid, kind text, ids uuid[]) returns void
    language plpgsql security definer set search_path = public set plan_cache_mode = force_generic_plan as $$
  begin
    delete from search_entry where organization_id = organization and entity_type = kind and entity_id = any(ids);
    case kind ${kinds
      .map(
        (kind) => `when '${kind}' then
      insert into search_entry select * from search_source where organization_id = organization and entity_type = '${kind}' and entity_id = any(ids);`,
      )
      .join("\n      ")}
    end case;
  end $$`;
