import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Partitions of the content of webhook events. */
const SLOTS = [0, 1, 2, 3, 4, 5, 6, 7];

/** Adds the events of webhook receivers, and the organizations by the addresses and ids of their messages, from which an event gets its organization. */
export class Webhooks extends Migration {
  override up(): void {
    // Received before the organization is known.
    this.addSql(`create table webhook_receipt (
      id uuid not null primary key,
      receiver text not null,
      provider_event_id text not null,
      received_at timestamptz(3) not null,
      slot smallint not null,
      status text not null,
      error text,
      attempts int not null default 0,
      next_attempt_at timestamptz(3),
      signature text,
      constraint webhook_receipt_once unique (receiver, provider_event_id),
      constraint webhook_receipt_signed_once unique (receiver, signature),
      constraint webhook_receipt_status_known check (status in ('received', 'routed', 'processed', 'ignored', 'failed')),
      constraint webhook_receipt_waits_until_done check ((status = 'received') = (next_attempt_at is not null))
    )`);
    this.addSql("create index webhook_receipt_waiting on webhook_receipt (next_attempt_at) where next_attempt_at is not null");
    this.addSql("create index webhook_receipt_by_age on webhook_receipt (received_at)");
    this.addSql(`create table webhook_body (
      slot smallint not null,
      receipt_id uuid not null,
      received_at timestamptz(3) not null,
      content_type text,
      body bytea not null,
      primary key (receipt_id, slot)
    ) partition by list (slot);
    create index webhook_body_by_age on webhook_body (received_at)`);
    for (const slot of SLOTS) this.addSql(`create table webhook_body_${slot} partition of webhook_body for values in (${slot})`);
    this.addSql(`create function empty_webhook_slots(kept_days int) returns void language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '1s' as $$
      declare
        newest timestamptz;
      begin
        if kept_days < 1 then raise exception 'webhook events are kept for a day at least' using errcode = 'insufficient_privilege'; end if;
        for slot in 0..${SLOTS.length - 1} loop
          execute format('select max(received_at) from webhook_body_%s', slot) into newest;
          if newest < now() - make_interval(days => kept_days) then execute format('truncate webhook_body_%s', slot); end if;
        end loop;
      end $$`);
    this.addSql(`create table webhook_event (
      ${orgColumnsSql},
      receipt_id uuid not null,
      receiver text not null,
      provider_event_id text not null,
      status text not null,
      attempts int not null,
      error text,
      preview text,
      received_at timestamptz(3) not null,
      processed_at timestamptz(3),
      next_attempt_at timestamptz(3),
      constraint webhook_event_of_receipt_once unique (organization_id, receipt_id),
      constraint webhook_event_status_known check (status in ('received', 'processed', 'ignored', 'failed')),
      constraint webhook_event_waits_until_done check ((status = 'received') = (next_attempt_at is not null))
    )`);
    this.addSql("create index webhook_event_by_receipt on webhook_event (organization_id, received_at, id)");
    this.addSql("create index webhook_event_waiting on webhook_event (organization_id, next_attempt_at) where next_attempt_at is not null");
    this.addSql(rowLevelSecuritySql("webhook_event"));
    this.addSql(`create table message_route (
      key text not null,
      organization_id uuid not null,
      created_at timestamptz(3) not null default now(),
      primary key (key, organization_id)
    )`);
    this.addSql("create index message_route_by_organization on message_route (organization_id)");
    this.addSql("create index message_by_address on message (organization_id, lower(to_address), created_at)");
    this.addSql(`create function keep_message_routes() returns trigger language plpgsql as $$
      begin
        if new.channel = 'in_app' then return null; end if;
        insert into message_route (key, organization_id) select key, new.organization_id
          from (values ('id:' || new.id), (new.channel || ':' || lower(new.to_address)), ('sid:' || new.provider_message_id)) keys (key)
          where key is not null and (tg_op = 'INSERT' or key like 'sid:%') order by key
          on conflict (key, organization_id) do nothing;
        return null;
      end $$;
      create trigger keep_message_routes after insert on message for each row execute function keep_message_routes();
      create trigger keep_message_routes_of_sent after update of provider_message_id on message for each row
        when (new.provider_message_id is distinct from old.provider_message_id) execute function keep_message_routes()`);
    this.addSql(`alter table message no force row level security;
      insert into message_route (key, organization_id) select distinct key, organization_id from message,
          lateral (values ('id:' || id), (channel || ':' || lower(to_address)), ('sid:' || provider_message_id)) keys (key)
        where channel <> 'in_app' and key is not null on conflict do nothing;
      alter table message force row level security`);
    this.addSql(
      `insert into scheduled_work (job, organization_id, next_run_at) values ('route_webhooks', '00000000-0000-0000-0000-000000000000', now()) on conflict do nothing`,
    );
  }
}
