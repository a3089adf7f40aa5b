/** Imported records of the past: they are in every list and event, and no person is notified of them. */
import { expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { type Colleague, anOffice } from "../../../../test/support/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { runBulkImport } from "../../test/bulk-imports.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const portfolio = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,1000.00"],
  vendors: ["source_id,name,trade,email", "V-1,Brightwater Plumbing,plumbing,desk@brightwater.example.com"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant"],
  leases: ["source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent", "L-1,U-1,T-1,month_to_month,active,2026-01-01,1000.00"],
} satisfies Sheets;
const history = {
  deposits: ["lease_source_id,amount_held,received_date", "L-1,900.00,2026-01-02"],
  opening_balances: ["lease_source_id,as_of,balance,prepaid", "L-1,2026-01-01,75.00,20.00"],
  charges: ["source_id,lease_source_id,date,due_date,type,amount", "C-1,L-1,2026-02-01,2026-02-01,rent,1000.00", "C-2,L-1,2026-03-01,2026-03-01,rent,1000.00"],
  payments: [
    "source_id,lease_source_id,received_date,amount,method,applied_to_charge_source_id",
    "M-1,L-1,2026-02-03,400.00,check,C-1",
    "M-2,L-1,2026-02-04,10.00,check,",
  ],
  work_orders: [
    "source_id,property_source_id,unit_source_id,title,status,vendor_source_id,created_date,completed_date",
    "W-1,P-1,U-1,The tap drips,completed,V-1,2026-01-05,2026-01-07",
  ],
} satisfies Sheets;

/** Returns the number of events of each type that a user was notified of. */
async function countNotified(user: Colleague): Promise<Record<string, number>> {
  const { notifications } = await user.call("listNotifications", { query: { pageSize: 100 } });
  const types = ["payment.received", "charge.overdue", "work_order.transitioned", "work_order.assigned"];
  return Object.fromEntries(
    types.flatMap((type) => {
      const count = notifications.reduce((sum, notification) => sum + (notification.type === type ? notification.count : 0), 0);
      return count > 0 ? [[type, count]] : [];
    }),
  );
}

test("history that a bundle or a bulk import writes notifies no tenant, no vendor and nobody in the office; the same through the API does", async () => {
  const office = await anOffice();
  const staff = await office.colleague("staff");
  await writeBundle(office, (await prepareBundle(office, portfolio)).id);
  const [lease] = (await office.call("listLeases")).leases;
  const { id: leaseId, tenantId, propertyId, unitId } = lease!;
  const tess = await office.tenantUser(tenantId, leaseId);
  const addresses = [staff.email, tess.email, office.email, "desk@brightwater.example.com"];
  const countMessages = () =>
    Promise.all(
      addresses.map(
        async (to) => (await office.call("listDevOutbox", { query: { to } })).messages.filter(({ subject }) => !/import/i.test(subject ?? "")).length,
      ),
    );
  const before = await countMessages();
  expect(await writeBundle(office, (await prepareBundle(office, { ...portfolio, ...history })).id)).toMatchObject({ status: "completed" });
  const bulkCharge = await runBulkImport(office, "charges", ["id,lease_id,date,due_date,type,amount", `B-1,${leaseId},2026-03-05,2026-03-05,rent,300.00`]);
  const bulkPayment = await runBulkImport(office, "payments", [
    "id,lease_id,received_date,amount,method,charge_id",
    `B-2,${leaseId},2026-03-06,100.00,check,B-1`,
  ]);
  const bulkWork = await runBulkImport(office, "work_orders", [
    "id,unit_id,property_id,vendor_name,title,status,created_date,completed_date",
    `B-3,${unitId},${propertyId},Brightwater Plumbing,The door sticks,completed,2026-01-05,2026-01-07`,
  ]);
  expect([bulkCharge, bulkPayment, bulkWork].map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  expect((await office.call("listPayments")).total).toBe(5);

  await office.call("createCharge", { body: { leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType: "rent" } });
  const payment = { tenantId, leaseId, amountCents: 100, paymentMethod: "check" as const, receivedAt: "2026-03-01T12:00:00Z", idempotencyKey: newId() };
  await office.call("recordPayment", { body: payment });
  const { workOrder } = await office.call("createWorkOrder", { body: { propertyId, unitId, leaseId, source: "tenant", title: "No hot water" } });
  for (const status of ["in_progress", "completed"] as const) await office.call("transitionWorkOrder", { params: { id: workOrder.id }, body: { status } });
  await eventually("notifications of what was entered by hand", async () => {
    const [ofTenant, ofStaff] = [await countNotified(tess), await countNotified(staff)];
    return (ofTenant["work_order.transitioned"] ?? 0) >= 2 && ofTenant["payment.received"] && ofStaff["payment.received"] && ofStaff["charge.overdue"];
  });
  expect(await countNotified(tess)).toEqual({ "payment.received": 1, "work_order.transitioned": 2 });
  expect(await countNotified(staff)).toEqual({ "payment.received": 1, "charge.overdue": 1 });
  expect(await countMessages()).toEqual(before);
});
