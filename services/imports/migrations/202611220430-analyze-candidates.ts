import { Migration } from "@mikro-orm/migrations";

/** Statistics of candidates that have just come in. Only the owner of the tables may gather them; whoever else does so at the moment is not waited for. */
export class AnalyzeCandidates extends Migration {
  override up(): void {
    this.addSql(`create function analyze_candidates() returns void language plpgsql security definer set search_path = public as $$
    begin
      analyze (skip_locked) import_candidate, import_dependency;
    end $$`);
  }
}
