import { refreshSearchSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** What can be found is written with every row, so each kind of it has a plan of its own. */
export class SearchByKind extends Migration {
  override up(): void {
    this.addSql(refreshSearchSql(["tenant", "payment", "charge"]));
  }
}
