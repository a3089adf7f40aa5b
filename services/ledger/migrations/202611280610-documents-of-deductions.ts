import { Migration } from "@mikro-orm/migrations";

/** Deductions from security deposits refer to documents, such as invoices and photos. */
export class DocumentsOfDeductions extends Migration {
  override up(): void {
    this.addSql("alter table security_deposit_deduction add column document_ids uuid[] not null default '{}'");
  }
}
