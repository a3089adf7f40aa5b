import { Migration } from "@mikro-orm/migrations";

/** Released tenants of leases, who pay on them. A lease that is projected already gets them with its next change, or when one of them pays. */
export class FormerPayers extends Migration {
  override up(): void {
    this.addSql("alter table lease_copy add former_payer_ids uuid[] not null default '{}'");
  }
}
