import { refreshSearchSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** Refreshes search entries by a statement per entity type, so that each has its own plan. */
export class SearchByKind extends Migration {
  override up(): void {
    this.addSql(refreshSearchSql(["tenant", "payment", "charge"]));
  }
}
