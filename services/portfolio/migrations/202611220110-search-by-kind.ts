import { refreshSearchSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** Refreshes search entries with one statement per entity type, so that each has its own query plan. */
export class SearchByKind extends Migration {
  override up(): void {
    this.addSql(refreshSearchSql(["property", "unit", "tenant", "owner", "vendor", "lease", "work_order", "document"]));
    // The search entry of a lease depends on these columns only, not on its status.
    this.addSql(`drop trigger keep_search_entry on lease;
    create trigger keep_search_entry after insert or update of property_id, unit_id, rent_cents, deleted_at on lease
      for each row execute function keep_search_entry()`);
  }
}
