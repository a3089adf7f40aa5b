import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the tables of notifications and of their deliveries. */
export class Notifications extends Migration {
  override up(): void {
    this.addSql(`create table notification (
      ${orgColumnsSql},
      user_id uuid not null,
      type text not null,
      title text not null,
      body text,
      channel text not null,
      priority text not null,
      entity_type text,
      entity_id uuid,
      actor_user_id uuid,
      actor_name text,
      read_at timestamptz(3),
      constraint notification_channel_known check (channel in ('in_app', 'email', 'sms', 'push')),
      constraint notification_priority_known check (priority in ('low', 'normal', 'high', 'urgent')),
      constraint notification_entity_whole check ((entity_type is null) = (entity_id is null))
    )`);
    this.addSql(`create index notification_by_user on notification (organization_id, user_id, created_at, id)`);
    this.addSql(`create index notification_unread on notification (organization_id, user_id, read_at)`);
    this.addSql(rowLevelSecuritySql("notification"));
    this.addSql(`create table notification_delivery (
      ${orgColumnsSql},
      notification_id uuid not null,
      channel text not null,
      delivery_mode text,
      sent_at timestamptz(3),
      delivered_at timestamptz(3),
      constraint notification_delivery_channel_known check (channel in ('in_app', 'email', 'sms', 'push')),
      constraint notification_delivery_mode_known check (delivery_mode in ('immediate', 'daily_digest')),
      constraint notification_delivery_of_notification foreign key (organization_id, notification_id) references notification (organization_id, id)
    )`);
    this.addSql(`create index notification_delivery_by_notification on notification_delivery (organization_id, notification_id)`);
    this.addSql(rowLevelSecuritySql("notification_delivery"));
  }
}
