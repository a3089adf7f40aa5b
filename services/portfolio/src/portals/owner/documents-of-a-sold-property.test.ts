/** Documents that are shared with the owners of a property which is sold. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aLease, anOwner, aProperty, aTenant, aUnit, aWorkOrder, currentDate, inDays } from "../../../test/fixtures.ts";
import { aPdf } from "../../../test/files.ts";

const office = await anOffice();
const [seller, buyer] = [await anOwner(office, { fullName: "Sue Seller" }), await anOwner(office, { fullName: "Bo Buyer" })];
const [sellerUser, buyerUser] = [await office.ownerUser(seller.id), await office.ownerUser(buyer.id)];
const property = await aProperty(office);
const sell = (effectiveDate: string, ...shares: [string, number][]) =>
  office.call("replaceOwnership", {
    params: { id: property.id },
    body: { effectiveDate, shares: shares.map(([ownerId, shareBps]) => ({ ownerId, shareBps })) },
  });
const upload = async (entityType: "property" | "unit" | "lease" | "work_order" | "owner", entityId: string) =>
  (await office.call("uploadDocument", { body: { file: aPdf(), entityType, entityId, visibility: "owner_shared" } })).document.id;
const read = async (user: typeof sellerUser) =>
  (await user.call("listOwnerPortalDocuments", { query: { pageSize: 100 } })).documents.map(({ id }) => id).toSorted();
const sorted = (...ids: string[]) => ids.toSorted();

test("the documents of a property go with it on the day of the sale, also earlier ones, and those of a person stay with the person", async () => {
  await sell(inDays(-100), [seller.id, 10_000]);
  const [unit, tenant] = [await aUnit(office, property.id), await aTenant(office)];
  const lease = await aLease(office, { propertyId: property.id, unitId: unit.id, tenantId: tenant.id });
  const workOrder = await aWorkOrder(office, { propertyId: property.id });
  const ofProperty = [
    await upload("property", property.id),
    await upload("unit", unit.id),
    await upload("lease", lease.id),
    await upload("work_order", workOrder.id),
  ];
  const [ofSeller, ofBuyer] = [await upload("owner", seller.id), await upload("owner", buyer.id)];

  await sell(inDays(1), [buyer.id, 10_000]);
  expect([await read(sellerUser), await read(buyerUser)]).toEqual([sorted(...ofProperty, ofSeller), [ofBuyer]]);

  await sell(currentDate(), [seller.id, 7_500], [buyer.id, 2_500]);
  expect([await read(sellerUser), await read(buyerUser)]).toEqual([sorted(...ofProperty, ofSeller), sorted(...ofProperty, ofBuyer)]);

  await sell(currentDate(), [buyer.id, 10_000]);
  const later = await upload("property", property.id);
  expect([await read(sellerUser), await read(buyerUser)]).toEqual([[ofSeller], sorted(...ofProperty, later, ofBuyer)]);
  expect((await sellerUser.attempt("getDocument", { params: { id: ofProperty[0]! } })).status).toBe(404);
  expect((await buyerUser.attempt("getDocument", { params: { id: ofSeller } })).status).toBe(404);
});
