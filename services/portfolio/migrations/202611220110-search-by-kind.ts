import { refreshSearchSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** What can be found is written with every row, so each kind of it has a plan of its own. */
export class SearchByKind extends Migration {
  override up(): void {
    this.addSql(refreshSearchSql(["property", "unit", "tenant", "owner", "vendor", "lease", "work_order", "document"]));
    // What a lease is called does not depend on where it stands.
    this.addSql(`drop trigger keep_search_entry on lease;
    create trigger keep_search_entry after insert or update of property_id, unit_id, rent_cents, deleted_at on lease
      for each row execute function keep_search_entry()`);
  }
}
