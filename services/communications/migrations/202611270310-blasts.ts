import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the tables of blasts and their recipients. */
export class Blasts extends Migration {
  override up(): void {
    this.addSql(`create table blast (
      ${orgColumnsSql},
      title text not null,
      body text not null,
      channels text[] not null,
      auto_translate boolean not null,
      status text not null,
      actor_user_id uuid not null,
      actor_name text not null,
      target jsonb not null,
      target_summary jsonb not null,
      recipient_count int not null,
      skipped_unlinked_tenant_count int not null,
      language_counts jsonb not null,
      versions jsonb not null,
      scheduled_at timestamptz(3),
      queued_at timestamptz(3),
      completed_at timestamptz(3),
      error text,
      deleted_at timestamptz(3),
      constraint blast_status_known check (status in ('draft', 'scheduled', 'queued', 'sending', 'completed', 'failed')),
      constraint blast_channels_known check (channels <@ array['in_app', 'email', 'sms'] and cardinality(channels) > 0),
      constraint blast_scheduled_with_time check (status <> 'scheduled' or scheduled_at is not null)
    )`);
    this.addSql("create index blast_by_creation on blast (organization_id, created_at, id)");
    this.addSql("create index blast_in_progress on blast (organization_id, status, scheduled_at) where status in ('scheduled', 'queued', 'sending')");
    this.addSql(rowLevelSecuritySql("blast"));
    this.addSql(`create table blast_recipient (
      ${orgColumnsSql},
      blast_id uuid not null,
      tenant_id uuid not null,
      channel text not null,
      language text not null,
      status text not null,
      skip_reason text,
      message_id uuid,
      constraint blast_recipient_channel_known check (channel in ('in_app', 'email', 'sms')),
      constraint blast_recipient_status_known check (status in ('pending', 'queued', 'skipped')),
      constraint blast_recipient_skipped_with_reason check ((status = 'skipped') = (skip_reason is not null)),
      constraint blast_recipient_queued_with_message check ((status = 'queued') = (message_id is not null)),
      constraint blast_recipient_once unique (organization_id, blast_id, tenant_id, channel),
      constraint blast_recipient_of_blast foreign key (organization_id, blast_id) references blast (organization_id, id)
    )`);
    this.addSql("create index blast_recipient_waiting on blast_recipient (organization_id, blast_id, id) where status = 'pending'");
    this.addSql(rowLevelSecuritySql("blast_recipient"));
  }
}
