import { Migration } from "@mikro-orm/migrations";

/** Adds a function that updates planner statistics with the rights of the table owner, skipping tables that are locked. */
export class AnalyzeCandidates extends Migration {
  override up(): void {
    this.addSql(`create function analyze_candidates() returns void language plpgsql security definer set search_path = public as $$
    begin
      analyze (skip_locked) import_candidate, import_dependency;
    end $$`);
  }
}
