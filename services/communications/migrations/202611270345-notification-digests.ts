import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Creates the table of daily digests. */
export class NotificationDigests extends Migration {
  override up(): void {
    this.addSql(`create table notification_digest (
      ${orgColumnsSql},
      user_id uuid not null,
      day date not null,
      message_id uuid not null,
      constraint notification_digest_once_a_day unique (organization_id, user_id, day)
    )`);
    this.addSql(rowLevelSecuritySql("notification_digest"));
  }
}
