import { Migration } from "@mikro-orm/migrations";

/** Indexes notifications by age, for the deletion of old ones. */
export class NotificationAge extends Migration {
  override up(): void {
    this.addSql("create index notification_by_age on notification (organization_id, created_at)");
  }
}
