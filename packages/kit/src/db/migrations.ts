import { Migration } from "@mikro-orm/migrations";
import { GrownTables, SampledStatistics } from "./batches/grown-tables.migration.ts";
import { portalReachSql } from "./portal-reach.ts";

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

const EVENT_SLOTS = [0, 1, 2, 3, 4, 5, 6, 7];
/** Duration in which events go to one slot. Five slots before the current one are retained: 72 hours. */
const EVENT_SLOT_SECONDS = 51_840;

/**
 * Outbox and inbox as rings of eight partitions, the slots, each emptied as a whole when its events are past their retention.
 * The relay's progress replaces a mark on each event: see `relay.ts`. `transaction_id` precedes `position`, because a
 * transaction must have its id before its positions.
 */
class EventSlots extends Migration {
  override up(): void {
    this.addSql(`create function event_slot_seconds() returns int language sql immutable as $$ select ${EVENT_SLOT_SECONDS} $$;
      create function event_slot(instant timestamptz) returns smallint language sql stable as $$
        select (extract(epoch from instant)::bigint / event_slot_seconds() % ${EVENT_SLOTS.length})::smallint $$`);
    // The copies may take longer than a statement of a service may.
    this.addSql(`set local statement_timeout = 0; lock table inbox, outbox in access exclusive mode`);
    for (const table of ["outbox", "inbox"])
      this.addSql(`alter table ${table} rename to ${table}_before; alter index ${table}_pkey rename to ${table}_before_pkey`);
    this.addSql(`create sequence outbox_position;
      create table outbox (
        transaction_id xid8 not null default pg_current_xact_id(),
        position bigint not null default nextval('outbox_position'),
        slot smallint not null default event_slot(now()),
        event_id uuid not null,
        organization_id uuid not null,
        envelope json not null,
        trace_parent text,
        created_at timestamptz(3) not null default now(),
        primary key (position, slot)
      ) partition by list (slot);
      create index outbox_by_transaction on outbox (transaction_id, position);
      create table inbox (
        consumer text not null,
        event_id uuid not null,
        slot smallint not null,
        primary key (consumer, event_id, slot)
      ) partition by list (slot)`);
    for (const slot of EVENT_SLOTS)
      this.addSql(
        `create table outbox_${slot} partition of outbox for values in (${slot}); create table inbox_${slot} partition of inbox for values in (${slot})`,
      );
    this.addSql(`insert into outbox (position, slot, event_id, organization_id, envelope, trace_parent, created_at)
        select position, event_slot(created_at), event_id, organization_id, envelope, trace_parent, created_at from outbox_before
        where published_at is null or created_at > now() - interval '48 hours' order by position;
      select setval('outbox_position', coalesce((select max(position) from outbox_before), 0) + 1, false);
      insert into inbox (consumer, event_id, slot)
        select consumer, event_id, event_slot(uuid_extract_timestamp(event_id)) from inbox_before
        where received_at > now() - interval '72 hours' and uuid_extract_timestamp(event_id) is not null;
      drop table outbox_before, inbox_before, relay_lease`);
    this.addSql(`create table relay_state (
        is_only_row boolean primary key default true check (is_only_row),
        holder uuid,
        until timestamptz(3),
        stream_epoch text,
        stream_sequence bigint not null default 0,
        published_position bigint not null default 0,
        snapshot pg_snapshot not null default '1:1:'
      );
      insert into relay_state default values;
      create view unpublished_event as
        select event.* from relay_state relay join outbox event on event.position > relay.published_position
        union all
        select event.* from relay_state relay join outbox event on event.position <= relay.published_position
          and event.transaction_id >= pg_snapshot_xmin(relay.snapshot) and not pg_visible_in_snapshot(event.transaction_id, relay.snapshot)`);
    this.addSql(emptyEventSlotSql);
  }
}

/**
 * SQL of `empty_event_slot`, which truncates the outbox slot six before that of the given instant and the inbox slot seven before it,
 * so that a stream refilled from the outbox contains no event that the inbox has forgotten. A slot is kept while it holds an
 * unpublished event, or a recent one because the clock or the retention was changed.
 */
const emptyEventSlotSql = `create function empty_event_slot(instant timestamptz default now()) returns void language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '1s' as $$
  declare
    expired smallint := (event_slot(instant) + 2) % ${EVENT_SLOTS.length};
    forgotten smallint := (event_slot(instant) + 1) % ${EVENT_SLOTS.length};
    newest timestamptz := instant - make_interval(secs => 4 * event_slot_seconds());
  begin
    if (select created_at from outbox where slot = expired order by position desc limit 1) <= newest
      and not exists (select from unpublished_event where slot = expired)
    then execute format('truncate outbox_%s', expired); end if;
    if (select uuid_extract_timestamp(event_id) from inbox where slot = forgotten order by consumer desc, event_id desc limit 1) <= newest
    then execute format('truncate inbox_%s', forgotten); end if;
  end $$`;

/**
 * Reach of portal users: the functions with which policies read the settings of a statement, and the idempotency keys, of which a portal
 * user reaches the user's own. The other tables of the kit have no row-level security. Functions that run with the owner's privileges,
 * which portal users do not have, have the reach of the office: those of triggers, and those that policies call.
 */
class PortalUsers extends Migration {
  override up(): void {
    const setting = (part: number) => `nullif(split_part(current_setting('app.portal_user', true), ':', ${part}), '')`;
    this.addSql(`create function is_office() returns boolean language sql stable parallel safe as $$
        select coalesce(current_setting('app.portal_user', true), '') = '' or current_user <> session_user $$;
      create function current_organization() returns uuid language sql stable parallel safe as $$ select nullif(current_setting('app.organization_id', true), '')::uuid $$;
      create function office_organization() returns uuid language sql stable parallel safe as $$ select case when is_office() then current_organization() end $$;
      create function portal_role() returns text language sql stable parallel safe as $$ select ${setting(1)} $$;
      create function portal_subject() returns uuid language sql stable parallel safe as $$ select ${setting(2)}::uuid $$;
      create function portal_user() returns uuid language sql stable parallel safe as $$ select ${setting(3)}::uuid $$`);
    const isOwnKey = "user_id = (select portal_user())";
    this.addSql(portalReachSql("idempotency_key", { reads: isOwnKey, writes: isOwnKey, deletes: isOwnKey }));
  }
}

/**
 * Transaction ids belong to a database cluster. In another cluster, where a dump was restored, `begin_outbox_era` makes the relay
 * publish the outbox from its start, and counts the restored events as committed: their ids are not compared with those of the new cluster.
 */
class OutboxEras extends Migration {
  override up(): void {
    // Ids that this cluster has not assigned yet are those of a dump that was restored before this migration.
    this.addSql(`alter table relay_state add cluster_id bigint, add era_position bigint not null default 0;
      update relay_state set cluster_id = system_identifier from pg_control_system()
        where pg_snapshot_xmax(snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
          and not exists (select from outbox where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()));
      create or replace view unpublished_event as
        select event.* from relay_state relay join outbox event on event.position > relay.published_position
        union all
        select event.* from relay_state relay join outbox event on event.position <= relay.published_position and event.position > relay.era_position
          and event.transaction_id >= pg_snapshot_xmin(relay.snapshot) and not pg_visible_in_snapshot(event.transaction_id, relay.snapshot)`);
    this.addSql(`create function begin_outbox_era(cluster bigint) returns void language plpgsql as $$
    begin
      if (select cluster_id from relay_state) = cluster then return; end if;
      -- Waits for transactions that are inserting events.
      lock table outbox in share mode;
      update relay_state set cluster_id = cluster, era_position = coalesce((select max(position) from outbox), 0),
        stream_epoch = null, stream_sequence = 0, published_position = 0, snapshot = '1:1:',
        -- A relay that runs would store its progress of the earlier era.
        holder = null, until = null;
    end $$`);
  }
}

/**
 * Time of the newest message that was read, by which a consumer notices that the stream has lost messages and uses their sequences again, and the
 * end of the stream that it has read, by which it notices that messages were deleted before.
 */
class ReadTimes extends Migration {
  override up(): void {
    this.addSql(`alter table consumer_share add read_until timestamptz(3), add stream_sequence bigint`);
  }
}

/** The kit's migrations, executed before those of the service. */
export const kitMigrations = {
  "000-kit": Kit,
  "001-consumer-shares": ConsumerShares,
  "002-traced-events": TracedEvents,
  "003-work-requests": WorkRequests,
  "004-work-claims": WorkClaims,
  "005-event-slots": EventSlots,
  "006-portal-users": PortalUsers,
  "007-outbox-eras": OutboxEras,
  "008-read-times": ReadTimes,
  "009-grown-tables": GrownTables,
  "010-sampled-statistics": SampledStatistics,
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

/** SQL of the search extensions, and of `words_of`, which joins its arguments into one lower-case text without accents, with a space at each end. */
export const searchSupportSql = `
  create extension if not exists pg_trgm; create extension if not exists unaccent; create extension if not exists btree_gin;
  create function words_of(variadic parts text[]) returns text language sql stable set search_path = public as $$
    select ' ' || lower(unaccent('unaccent', array_to_string(parts, ' '))) || ' ' $$`;

/**
 * SQL of `find_search_candidates`, which returns the ids of the records of a kind whose search entry contains a text. The pattern is a part of the
 * statement text, so that each search is planned for its own words. PostgreSQL does not use the trigram index under row-level security, since
 * `like` is not leakproof: the function bypasses the policy and filters by organization itself. Phone numbers are stored without their plus sign.
 */
export const searchCandidatesSql = `create function find_search_candidates(search text, kind text) returns setof uuid language plpgsql stable security definer
      set search_path = public, pg_temp set max_parallel_workers_per_gather = 0 set enable_seqscan = off set enable_indexscan = off as $$
    begin
      return query execute format('select entity_id from search_entry where organization_id = (case when portal_role() is null then current_organization() end)
        and entity_type = $1 and words like %L', '%' || regexp_replace(lower(unaccent('unaccent', ltrim(search, '+'))), '([\\\\%_])', '\\\\\\1', 'g') || '%') using kind;
    end $$`;

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
