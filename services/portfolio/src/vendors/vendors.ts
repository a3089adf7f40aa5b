import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { vendors } from "@freehold/contract/vendors";
import { transaction, type OrgDb } from "@freehold/kit/db";
import { given } from "@freehold/kit/given";
import { announce } from "../announce.ts";
import { refuseUnknownCategories } from "../asking.ts";
import type { Clients } from "../clients.ts";
import { notesOf } from "../notes/notes.ts";
import { Vendor } from "./vendor.entity.ts";
import { vendorView } from "./vendor.view.ts";
import { findVendor, pageOfVendors } from "./vendors.queries.ts";

type Operations = (typeof vendors)["operations"];

export async function listVendors(db: OrgDb, query: QueryOf<Operations["listVendors"]>): Promise<Output<Operations["listVendors"]>> {
  const { rows, paging } = await pageOfVendors(db, query);
  return { vendors: rows.map(vendorView), ...paging };
}

/** Adds a vendor, active unless said otherwise. Its default account must be one of the chart. */
export async function createVendor(db: OrgDb, ask: Clients, terms: BodyOf<Operations["createVendor"]>): Promise<Output<Operations["createVendor"]>> {
  await refuseUnknownCategories(db, ask, terms.categoryId ? [{ categoryId: terms.categoryId, path: "categoryId" }] : []);
  return transaction(db, async (tx) => {
    const vendor = tx.create(Vendor, { isActive: true, include1099: false, ...given(terms), portalStatus: "none" });
    await announce(tx, "vendor.created", { entityId: vendor.id, data: {} });
    return { vendor: vendorView(await findVendor(tx, vendor.id)) };
  });
}

export async function getVendor(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getVendor"]>> {
  const [vendor, notes] = await Promise.all([findVendor(db, id), notesOf(db, ask, "vendor", id)]);
  return { vendor: vendorView(vendor), notes };
}
