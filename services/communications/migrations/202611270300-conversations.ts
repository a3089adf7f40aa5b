import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { portalReachSql } from "@freehold/kit/db/portal-reach";
import { Migration } from "@mikro-orm/migrations";

const isParticipant = "participant_type = (select portal_role()) and participant_id = (select portal_subject())";
const isOfOwnConversation = "conversation_id in (select id from conversation)";

/** Adds deliveries with their history, opt-outs of text messages, suppressed addresses, and conversations. */
export class Conversations extends Migration {
  override up(): void {
    this.addSql(`alter table message
      add column recipient_type text,
      add column recipient_id uuid,
      add column provider_message_id text,
      add column sent_at timestamptz(3),
      add column delivered_at timestamptz(3),
      add column history jsonb not null default '[]',
      add constraint message_recipient_whole check ((recipient_type is null) = (recipient_id is null)),
      add constraint message_recipient_known check (recipient_type in ('tenant', 'vendor', 'user')),
      drop constraint message_channel_known,
      add constraint message_channel_known check (channel in ('in_app', 'email', 'sms')),
      drop constraint message_status_known,
      add constraint message_status_known check (status in ('queued', 'sent', 'delivered', 'skipped', 'failed')),
      drop constraint message_waits_with_its_content,
      add constraint message_waits_with_its_content
        check (status <> 'queued' or (text is not null and next_attempt_at is not null and (subject is not null or channel = 'sms')))`);
    this.addSql("create index message_by_provider_id on message (organization_id, provider_message_id) where provider_message_id is not null");
    this.addSql(`create table sms_opt_out (
      ${orgColumnsSql},
      phone text not null,
      source text not null,
      ended_at timestamptz(3)
    )`);
    this.addSql("create unique index sms_opt_out_in_force on sms_opt_out (organization_id, phone) where ended_at is null");
    this.addSql(rowLevelSecuritySql("sms_opt_out"));
    this.addSql(`create table suppressed_address (
      ${orgColumnsSql},
      address text not null,
      reason text not null,
      constraint suppressed_address_once unique (organization_id, address),
      constraint suppressed_address_reason_known check (reason in ('bounced', 'complained')),
      constraint suppressed_address_lower_case check (address = lower(address))
    )`);
    this.addSql(rowLevelSecuritySql("suppressed_address"));
    this.addSql(`create table conversation (
      ${orgColumnsSql},
      participant_type text not null,
      participant_id uuid not null,
      participant_name text not null,
      participant_email text,
      participant_phone text,
      channels text[] not null,
      status text not null,
      subject text,
      latest_message_preview text,
      last_message_at timestamptz(3),
      active_at timestamptz(3) not null,
      incoming_count int not null,
      outgoing_count int not null,
      constraint conversation_participant_known check (participant_type in ('tenant', 'vendor')),
      constraint conversation_status_known check (status in ('open', 'closed', 'archived')),
      constraint conversation_channels_known check (channels <@ array['in_app', 'sms', 'email'] and cardinality(channels) > 0)
    )`);
    this.addSql("create index conversation_by_activity on conversation (organization_id, active_at, id)");
    this.addSql("create index conversation_by_change on conversation (organization_id, updated_at)");
    this.addSql("create index conversation_by_participant on conversation (organization_id, participant_id, active_at)");
    this.addSql(rowLevelSecuritySql("conversation"));
    this.addSql(portalReachSql("conversation", { reads: isParticipant, writes: isParticipant }));
    this.addSql(`create table conversation_message (
      ${orgColumnsSql},
      conversation_id uuid not null,
      number int not null,
      incoming_number int not null,
      outgoing_number int not null,
      body text not null,
      channel text not null,
      sender_type text not null,
      sender_id uuid,
      sender_name text,
      from_address text,
      to_addresses text[] not null,
      email_message_id text,
      external_id text,
      sms_sid text,
      metadata jsonb not null,
      document_ids uuid[] not null,
      constraint conversation_message_channel_known check (channel in ('in_app', 'sms', 'email')),
      constraint conversation_message_sender_known check (sender_type in ('staff', 'tenant', 'vendor', 'system')),
      constraint conversation_message_number_once unique (organization_id, conversation_id, number),
      constraint conversation_message_of_conversation foreign key (organization_id, conversation_id) references conversation (organization_id, id)
    )`);
    this.addSql("create index conversation_message_by_email on conversation_message (organization_id, email_message_id) where email_message_id is not null");
    this.addSql(
      "create unique index conversation_message_received_once on conversation_message (organization_id, channel, external_id) where external_id is not null",
    );
    this.addSql(rowLevelSecuritySql("conversation_message"));
    this.addSql(portalReachSql("conversation_message", { reads: isOfOwnConversation, writes: isOfOwnConversation }));
    this.addSql(`create table conversation_read_marker (
      organization_id uuid not null,
      conversation_id uuid not null,
      user_id uuid not null,
      read_count int not null,
      primary key (organization_id, conversation_id, user_id),
      constraint conversation_read_marker_of_conversation foreign key (organization_id, conversation_id) references conversation (organization_id, id)
    )`);
    this.addSql(rowLevelSecuritySql("conversation_read_marker"));
    const isOwnMarker = "user_id = (select portal_user())";
    this.addSql(portalReachSql("conversation_read_marker", { reads: isOwnMarker, writes: isOwnMarker }));
  }
}
