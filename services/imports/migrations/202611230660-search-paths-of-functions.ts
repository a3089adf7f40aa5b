import { Migration } from "@mikro-orm/migrations";

/**
 * The function that runs with the owner's privileges finds tables in the schema of the service before temporary ones, which a caller
 * can create under the same names.
 */
export class SearchPathsOfFunctions extends Migration {
  override up(): void {
    this.addSql(`alter function analyze_candidates set search_path = public, pg_temp`);
  }
}
