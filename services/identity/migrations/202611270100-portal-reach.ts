import { officeOnlySql, portalReachSql, type PortalReach } from "@freehold/kit/db/portal-reach";
import { Migration } from "@mikro-orm/migrations";

const isOwn = (column: string): PortalReach => ({ reads: `${column} = (select portal_user())`, writes: `${column} = (select portal_user())` });
const ofOwnSession = "session_id in (select id from session where user_id = portal_user())";

const tables: Record<string, PortalReach> = {
  // Every user reads the name and the time zone.
  organization: { reads: "true" },
  app_user: isOwn("id"),
  session: isOwn("user_id"),
  refresh_token: { reads: ofOwnSession, writes: ofOwnSession },
  one_time_token: isOwn("user_id"),
  consent_record: isOwn("user_id"),
  audit_entry: { reads: "false", writes: isOwn("actor_user_id").reads },
};

/** Reach of portal users: their own account, sessions and consents, and the organization. */
export class PortalReachOfIdentity extends Migration {
  override up(): void {
    this.addSql(officeOnlySql);
    for (const [table, reach] of Object.entries(tables)) this.addSql(portalReachSql(table, reach));
  }
}
