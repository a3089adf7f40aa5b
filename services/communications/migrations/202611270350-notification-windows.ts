import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Adds windows in which the events of a type are counted, for notifications of the office that count several events. */
export class NotificationWindows extends Migration {
  override up(): void {
    this.addSql(`create table notification_window (
      ${orgColumnsSql},
      type text not null,
      entity_type text not null,
      closes_at timestamptz(3) not null,
      is_open boolean not null,
      is_pending boolean not null,
      fanned_out_at timestamptz(3),
      total int not null,
      actors jsonb not null,
      constraint notification_window_counts check (total > 0)
    )`);
    this.addSql("create unique index notification_window_open on notification_window (organization_id, type) where is_open");
    this.addSql("create index notification_window_by_close on notification_window (organization_id, closes_at)");
    this.addSql(rowLevelSecuritySql("notification_window"));
    this.addSql(`alter table notification
      add column event_count int not null default 1,
      add column window_id uuid,
      add column counted_from int not null default 0,
      drop constraint notification_entity_whole,
      add constraint notification_entity_typed check (entity_id is null or entity_type is not null),
      add constraint notification_counts_events check (event_count > 0 and counted_from >= 0)`);
    this.addSql(
      "create unique index notification_once_in_window on notification (organization_id, window_id, user_id, counted_from) where window_id is not null",
    );
  }
}
