import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { portalReachSql } from "@freehold/kit/db/portal-reach";
import { Migration } from "@mikro-orm/migrations";

/** Adds the preferences and quiet hours of users, and deliveries of notifications by e-mail and text message. */
export class NotificationPreferences extends Migration {
  override up(): void {
    this.addSql(`create table notification_settings (
      ${orgColumnsSql},
      preferences jsonb not null,
      quiet_start text,
      quiet_end text,
      time_zone text,
      constraint notification_settings_quiet_whole check ((quiet_start is null) = (quiet_end is null))
    )`);
    this.addSql(rowLevelSecuritySql("notification_settings"));
    const isOwn = "id = (select portal_user())";
    this.addSql(portalReachSql("notification_settings", { reads: isOwn, writes: isOwn }));
    this.addSql(`alter table notification add column channels text[] not null default '{in_app}'`);
    this.addSql("alter table notification alter column channels drop default");
    this.addSql(`alter table notification_delivery
      add column user_id uuid,
      add column status text not null default 'delivered',
      add column skip_reason text,
      add column due_at timestamptz(3),
      add column message_id uuid,
      add constraint notification_delivery_status_known check (status in ('waiting', 'queued', 'delivered', 'skipped')),
      add constraint notification_delivery_skipped_with_reason check ((status = 'skipped') = (skip_reason is not null)),
      add constraint notification_delivery_queued_with_message check ((status = 'queued') = (message_id is not null))`);
    this.addSql(`alter table notification no force row level security;
      alter table notification_delivery no force row level security;
      update notification_delivery d set user_id = n.user_id from notification n where n.organization_id = d.organization_id and n.id = d.notification_id;
      alter table notification force row level security;
      alter table notification_delivery force row level security`);
    this.addSql("alter table notification_delivery alter column user_id set not null, alter column status drop default");
    this.addSql("create index notification_delivery_waiting on notification_delivery (organization_id, delivery_mode, due_at, id) where status = 'waiting'");
    this.addSql("create index notification_delivery_waiting_of_user on notification_delivery (organization_id, user_id) where status = 'waiting'");
  }
}
