import { Migration } from "@mikro-orm/migrations";

const documents = ["data", "extra", "cells", "parse_errors", "refs", "links", "link_errors", "matches", "changes", "errors", "original"];

/**
 * No statistics of the JSON columns of candidates, by which no statement is planned: to compare documents is most of the work of an analysis. Pages
 * keep room for the updates that follow: the references, the evaluation and the result of each row.
 */
export class CandidateStatistics extends Migration {
  override up(): void {
    this.addSql(`alter table import_candidate ${documents.map((column) => `alter column ${column} set statistics 0`).join(", ")}`);
    this.addSql("alter table import_candidate set (fillfactor = 50)");
  }
}
