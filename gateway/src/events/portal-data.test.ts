/** Data of events on the streams of portal users. */
import { expect, test } from "@jest/globals";
import { EventReader } from "../../../test/support/events/stream.ts";
import { anEmail, anOffice } from "../../../test/support/office.ts";

test("the vendor who loses a work order is not told who gets it, and neither is the owner, while the new vendor and the office are", async () => {
  const office = await anOffice();
  const { property } = await office.call("createProperty", {
    body: { name: "Elm", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 },
  });
  const aVendor = async (name: string) => (await office.call("createVendor", { body: { name, email: anEmail() } })).vendor.id;
  const [loser, winner] = [await aVendor("Vera"), await aVendor("Walt")];
  const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail() } });
  await office.call("updateProperty", { params: { id: property.id }, body: { ownerIds: [owner.id] } });
  const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: property.id, title: "The tap drips", vendorId: loser } });
  const users = [office, await office.vendorUser(loser), await office.vendorUser(winner), await office.ownerUser(owner.id)];
  const readers = await Promise.all(users.map((user) => EventReader.open(office.baseUrl, user.token!)));
  for (const reader of readers) await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready");
  await office.call("assignWorkOrder", { params: { id: workOrder.id }, body: { vendorId: winner, assignedUserId: office.userId } });
  const assignments = readers.map((reader) =>
    reader.waitForFrame("assignment", ({ event, data }) => event === "work_order.assigned" && data["entityId"] === workOrder.id),
  );
  const told = (await Promise.all(assignments)).map(({ data }) => {
    const { vendorId, assignedUserId } = data["data"] as Record<string, unknown>;
    return [vendorId, assignedUserId];
  });
  expect(told).toEqual([
    [winner, office.userId],
    [null, null],
    [winner, null],
    [null, null],
  ]);
  await Promise.all(readers.map((reader) => reader.close()));
});
