import { Migration } from "@mikro-orm/migrations";

/** Adds a function that updates the planner statistics of candidates and dependencies with the rights of the table owner. Skips a locked table. */
export class AnalyzeCandidates extends Migration {
  override up(): void {
    this.addSql(`create function analyze_candidates() returns void language plpgsql security definer set search_path = public as $$
    begin
      analyze (skip_locked) import_candidate, import_dependency;
    end $$`);
  }
}
