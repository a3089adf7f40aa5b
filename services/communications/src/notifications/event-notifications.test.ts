import { afterAll, describe, expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { Client } from "../../../../test/support/client.ts";
import { anEmail, anOffice, password } from "../../../../test/support/office.ts";
import { aTenancy } from "../../../../test/support/tenancy.ts";
import { aTestEvent, chargeData, listOf, paymentData, testPublisher, waitForEvents } from "../../test/published-events.ts";

const publisher = testPublisher();
afterAll(() => publisher.close());

describe("notifications of events", () => {
  test("tell the office of a tenant's maintenance request, and the tenant of its progress, in the portal", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const ana = await office.tenantUser(tenancy.tenantId);
    await office.call("createWorkOrder", { body: { propertyId: tenancy.propertyId, title: "Paint the hall" } });
    const { workOrder } = await ana.call("createMaintenanceRequest", {
      body: { title: "No hot water", description: "Since Monday.", leaseId: tenancy.leaseId },
    });
    const [request] = await waitForEvents(1, office, "work_order.created");
    expect(request).toMatchObject({ title: "Maintenance request received", entityId: workOrder.id, actorUserId: ana.userId, count: 1 });
    await office.call("transitionWorkOrder", { params: { id: workOrder.id }, body: { status: "in_progress" } });
    await waitForEvents(1, ana, "work_order.transitioned");
    expect(await ana.call("listTenantPortalNotifications", { query: { type: "work_order.transitioned" } })).toMatchObject({
      notifications: [{ body: "A maintenance request was started.", entityId: workOrder.id }],
      total: 1,
      unreadCount: 1,
    });
    expect((await office.attempt("listTenantPortalNotifications")).status).toBe(403);
    expect((await listOf(office, { type: "work_order.transitioned" })).total).toBe(0);
  });

  test("tell nobody of history, and of the same without the mark", async () => {
    const office = await anOffice();
    const staff = await office.colleague("staff");
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const ana = await office.tenantUser(tenant.id);
    const payment = () => aTestEvent(office, "payment.received", { data: { ...paymentData, tenantId: tenant.id } });
    const overdue = () => aTestEvent(office, "charge.overdue", { data: { ...chargeData, tenantId: tenant.id } });
    for (const event of [payment(), overdue()]) await publisher.publish({ ...event, isHistory: true });
    for (const event of [payment(), overdue()]) await publisher.publish(event);
    for (const type of ["payment.received", "charge.overdue"] as const) expect((await waitForEvents(1, staff, type)).map(({ count }) => count)).toEqual([1]);
    expect(await waitForEvents(1, ana, "payment.received")).toHaveLength(1);
  });

  test("tell the tenant of a message of the office, and the office of the answer", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const ana = await office.tenantUser(tenant.id);
    const { conversation } = await office.call("createConversation", {
      body: { participantType: "tenant", participantId: tenant.id, message: { body: "The keys are ready.", channel: "in_app" } },
    });
    const type = "conversation.message_received";
    expect(await waitForEvents(1, ana, type)).toMatchObject([{ body: "The office sent you a message.", entityId: conversation.id }]);
    await ana.call("sendTenantConversationMessage", { params: { id: conversation.id }, body: { body: "Thank you." } });
    expect(await waitForEvents(1, office, type)).toMatchObject([{ body: "A tenant or vendor sent a message.", entityId: conversation.id }]);
    expect(await listOf(ana, { type })).toMatchObject({ total: 1 });
  });

  test("are not sent by e-mail to the address that has got the message of the office itself by e-mail", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail() } });
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
    const client = new Client(office.baseUrl);
    const { user, accessToken } = await client.call("acceptInvite", { params: { token: invite.token! }, body: { password } });
    const ana = Object.assign(client, { token: accessToken, organizationId: office.organizationId, userId: user.id, email: user.email });
    const type = "conversation.message_received" as const;
    const preferences = [{ type, channels: ["in_app" as const, "email" as const], deliveryMode: "immediate" as const }];
    await ana.call("updateNotificationPreferences", { body: { preferences } });
    const { conversation } = await office.call("createConversation", {
      body: { participantType: "tenant", participantId: tenant.id, message: { body: "The keys are ready.", channel: "email" } },
    });
    expect(await waitForEvents(1, ana, type)).toMatchObject([{ channels: ["in_app"] }]);
    await office.call("sendConversationMessage", { params: { id: conversation.id }, body: { body: "In the portal, too.", channel: "in_app" } });
    const notifications = await waitForEvents(2, ana, type);
    expect(notifications.map(({ channels }) => String(channels)).toSorted()).toEqual(["in_app", "in_app,email"]);
  });

  test("tell admins and managers, not staff, of critical findings only, and the owner alone of a payout", async () => {
    const office = await anOffice();
    const staff = await office.colleague("staff");
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail(), payoutMethod: "check" } });
    const olga = await office.ownerUser(owner.id);
    const entityId = newId();
    const finding = (severity: "warning" | "critical", count: number) =>
      aTestEvent(office, "trust.diagnostic_raised", { entityId, data: { key: "deposit_disposition_due", severity, count } });
    await publisher.publish(finding("warning", 2));
    await publisher.publish(finding("critical", 1));
    expect(await waitForEvents(1, office, "trust.diagnostic_raised")).toMatchObject([
      { priority: "urgent", channels: ["in_app", "email"], body: "A check of the trust accounts has 1 critical finding. See the diagnostics." },
    ]);
    await publisher.publish(aTestEvent(office, "owner_payable.paid", { entityId, data: { ownerId: owner.id, propertyId: newId() } }));
    expect(await waitForEvents(1, olga, "owner_payable.paid")).toMatchObject([{ body: "A payout was paid to you." }]);
    expect((await listOf(staff, { type: "trust.diagnostic_raised" })).total).toBe(0);
    expect((await listOf(office, { type: "owner_payable.paid" })).total).toBe(0);
  });

  test("tell admins and managers of an expense that awaits approval, and of no other", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    const { propertyId } = await aTenancy(office);
    const body = { amountCents: 90_000, incurredOn: "2026-01-03", category: "maintenance" as const, propertyId };
    await office.call("createExpense", { body });
    const { expense } = await office.call("createExpense", { body: { ...body, needsApproval: true } });
    expect(expense.approvalStatus).toBe("pending");
    expect(await waitForEvents(1, manager, "expense.created")).toMatchObject([{ title: "Expense awaits approval", entityId: expense.id, count: 1 }]);
  });

  test("tell the office and the tenant of a reversed payment, and of the end of an import only when it has ended", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz" } });
    const ana = await office.tenantUser(tenant.id);
    const { receivedAt: _, ...data } = { ...paymentData, tenantId: tenant.id, reason: "nsf" };
    await publisher.publish(aTestEvent(office, "payment.reversed", { data }));
    expect(await waitForEvents(1, ana, "payment.reversed")).toMatchObject([{ body: "Your payment was reversed.", priority: "high" }]);
    expect(await waitForEvents(1, office, "payment.reversed")).toMatchObject([{ body: "A tenant's payment was reversed." }]);
    const entityId = newId();
    for (const status of ["processing", "completed_with_errors"] as const)
      await publisher.publish(aTestEvent(office, "import_bundle.status_changed", { entityId, data: { status } }));
    expect(await waitForEvents(1, office, "import_bundle.status_changed")).toMatchObject([
      { body: "An import was completed, but some rows were not written." },
    ]);
  });
});
