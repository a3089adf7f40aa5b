import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the records of consents, which are never deleted, and adds the time, IP address and user agent of the last use to sessions. */
export class ConsentsAndSessions extends Migration {
  override up(): void {
    this.addSql(`create table consent_record (
      organization_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      channel text not null,
      is_granted boolean not null,
      recorded_at timestamptz(3) not null,
      ip text,
      source text not null,
      primary key (organization_id, id),
      constraint consent_record_of_a_user foreign key (organization_id, user_id) references app_user (organization_id, id),
      constraint consent_record_channel_known check (channel in ('sms', 'email'))
    )`);
    this.addSql(`create index consent_record_by_user on consent_record (organization_id, user_id, recorded_at)`);
    this.addSql(rowLevelSecuritySql("consent_record"));

    // Null for sessions that were created before this migration, until their next refresh.
    this.addSql(`alter table session add column last_used_at timestamptz(3), add column ip text, add column user_agent text`);
  }
}
