import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the tables of messages and of the development outbox. */
export class Messages extends Migration {
  override up(): void {
    this.addSql(`create table message (
      ${orgColumnsSql},
      channel text not null,
      template text not null,
      to_address text not null,
      from_address text not null,
      subject text,
      text text,
      html text,
      provider text not null,
      status text not null,
      error text,
      attempts int not null,
      next_attempt_at timestamptz(3),
      constraint message_channel_known check (channel in ('email', 'sms')),
      constraint message_status_known check (status in ('queued', 'sent', 'skipped', 'failed')),
      constraint message_waits_with_its_content check (status <> 'queued' or (subject is not null and text is not null and next_attempt_at is not null)),
      constraint message_content_goes_with_it check (status = 'queued' or (text is null and html is null))
    )`);
    this.addSql(`create index message_waiting on message (organization_id, status, next_attempt_at)`);
    this.addSql(rowLevelSecuritySql("message"));
    // The development outbox has no organization, since developers read it without a token.
    this.addSql(`create table outbox_message (
      id uuid not null primary key,
      channel text not null,
      to_address text not null,
      from_address text not null,
      subject text,
      text text not null,
      html text,
      created_at timestamptz(3) not null
    )`);
    this.addSql(`create index outbox_message_newest on outbox_message (created_at, id)`);
  }
}
