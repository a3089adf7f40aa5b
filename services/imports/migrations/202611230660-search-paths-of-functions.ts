import { Migration } from "@mikro-orm/migrations";

/**
 * Sets the search path of the security definer function, so that it finds the tables of the service before temporary tables that a
 * caller created under the same names.
 */
export class SearchPathsOfFunctions extends Migration {
  override up(): void {
    this.addSql(`alter function analyze_candidates set search_path = public, pg_temp`);
  }
}
