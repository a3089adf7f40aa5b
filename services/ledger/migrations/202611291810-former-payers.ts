import { Migration } from "@mikro-orm/migrations";

/** Released co-tenants of leases with the days on which they lived there. A lease that is projected already gets them with its next change, or when one of them pays. */
export class FormerPayers extends Migration {
  override up(): void {
    this.addSql("alter table lease_copy add former_payers jsonb not null default '[]'");
  }
}
