import { Migration } from "@mikro-orm/migrations";

/**
 * Makes the function that runs with the owner's privileges find the tables of the service's schema before temporary tables, which a
 * caller can create under the same names.
 */
export class SearchPathsOfFunctions extends Migration {
  override up(): void {
    this.addSql(`alter function forget_audit_entries set search_path = public, pg_temp`);
  }
}
