import { Migration } from "@mikro-orm/migrations";

/** Part of a transfer between trust accounts that is opening balance, which is unassigned in the account that it reaches. */
export class UnassignedMoneyOfTransfers extends Migration {
  override up(): void {
    this.addSql(`alter table bank_transfer add column unassigned_cents bigint not null default 0`);
    this.addSql(`create index bank_transfer_of_unassigned_money on bank_transfer (organization_id, id) where unassigned_cents > 0`);
  }
}
