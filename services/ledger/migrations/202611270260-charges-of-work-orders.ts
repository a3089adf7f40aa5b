import { Migration } from "@mikro-orm/migrations";

/** A charge names the work order whose cost it bills to the tenant. */
export class ChargesOfWorkOrders extends Migration {
  override up(): void {
    this.addSql(`alter table charge add column work_order_id uuid;
      create index charge_by_work_order on charge (organization_id, work_order_id) where work_order_id is not null`);
  }
}
