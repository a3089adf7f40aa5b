import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import type { EntityClass } from "@mikro-orm/core";

type Deletable = { id: string; organizationId: string; version: number; deletedAt?: Date | null | undefined };

/**
 * Throws 412 when `If-Match` names another version of a row, before checks that refuse a change with 409. The transaction of the change,
 * which follows these checks, locks the row and compares the version again.
 */
export async function requireVersion<E extends Deletable>(db: OrgDb, entity: EntityClass<E>, id: string, resource: string): Promise<void> {
  if (db.request.ifMatch) await transaction(db, (tx) => tx.getForUpdate(entity, id, resource));
}
