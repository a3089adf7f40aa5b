import { searchCandidatesSql } from "@freehold/kit/db/migrations";
import { Migration } from "@mikro-orm/migrations";

/** The search of the lists of payments and expenses finds its candidates in the trigram index. */
export class ListSearches extends Migration {
  override up(): void {
    this.addSql(searchCandidatesSql);
  }
}
