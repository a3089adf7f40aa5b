import { officeOnlySql, portalReachSql } from "@freehold/kit/db/portal-reach";
import { Migration } from "@mikro-orm/migrations";

/** Reach of portal users: their own notifications. */
export class PortalReachOfCommunications extends Migration {
  override up(): void {
    this.addSql(officeOnlySql);
    const isOwn = "user_id = (select portal_user())";
    this.addSql(portalReachSql("notification", { reads: isOwn, writes: isOwn }));
    this.addSql(portalReachSql("notification_delivery", { reads: "notification_id in (select id from notification)" }));
  }
}
