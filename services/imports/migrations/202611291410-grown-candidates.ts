import { Migration } from "@mikro-orm/migrations";

/** The planner's statistics of candidates and dependencies are updated like those of all tables, by `analyze_grown_tables`. */
export class GrownCandidates extends Migration {
  override up(): void {
    this.addSql("drop function analyze_candidates()");
  }
}
