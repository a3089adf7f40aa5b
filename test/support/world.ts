/** Fixtures: one resource of each kind in an organization, for tests of access from other organizations and roles. */
import { eventually } from "./eventually.ts";
import { createManagementFeeFixtures } from "./fixtures/management-fees.ts";
import type { Office } from "./office.ts";
import { createReconciliationFixtures, type ReconciliationFixtures } from "./fixtures/reconciliations.ts";
import { createConversationFixtures } from "./fixtures/conversations.ts";
import { createWebhookEvent } from "./fixtures/webhooks.ts";
import { createDepositFixtures } from "./fixtures/security-deposits.ts";
import { aCharge, aPayment, aTenancy } from "./tenancy.ts";

/** Ids of the resources by kind. */
export interface Fixtures extends ReconciliationFixtures {
  property: string;
  unit: string;
  tenant: string;
  lease: string;
  occupant: string;
  rentChange: string;
  billingSchedule: string;
  parkingRight: string;
  owner: string;
  vendor: string;
  user: string;
  session: string;
  serviceKey: string;
  feeTemplate: string;
  invite: string;
  ownerInvite: string;
  vendorInvite: string;
  workOrder: string;
  maintenanceRequest: string;
  estimate: string;
  inspection: string;
  otherInspection: string;
  inspectionItem: string;
  inspectionTemplate: string;
  note: string;
  document: string;
  category: string;
  bankAccount: string;
  otherBankAccount: string;
  journalEntry: string;
  accountingPeriod: string;
  budget: string;
  charge: string;
  credit: string;
  recurringCharge: string;
  payment: string;
  deposit: string;
  securityDeposit: string;
  deduction: string;
  depositTransaction: string;
  transfer: string;
  expense: string;
  expensePayment: string;
  adjustment: string;
  contribution: string;
  ownerPayable: string;
  ownerStatement: string;
  feeAgreement: string;
  feeRun: string;
  conversation: string;
  conversationMessage: string;
  vendorConversation: string;
  blast: string;
  emailAccount: string;
  suppression: string;
  notification: string;
  webhookEvent: string;
  bulkImport: string;
  importBundle: string;
  importFile: string;
  importCandidate: string;
  mappingProfile: string;
}

/** Creates one resource of each kind in an organization. */
export async function createFixtures(office: Office): Promise<Fixtures> {
  const tenancy = await aTenancy(office, { endDate: "2199-12-31" });
  const { propertyId, leaseId, tenantId } = tenancy;
  const charge = await aCharge(office, leaseId, 50_000);
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 20_000), allocations: [{ chargeId: charge, amountCents: 20_000 }] } });
  const { credit } = await office.call("creditCharge", { params: { id: charge }, body: { amountCents: 100, reason: "waive" } });
  const bankAccount = (name: string, accountType: "operating" | "security_deposit", openingBalanceCents: number) =>
    office.call("createBankAccount", {
      body: { name, institutionName: "First Bank", accountMask: "1234", accountType, openingBalanceCents, openingDate: "2026-01-01" },
    });
  const { bankAccount: operating } = await bankAccount("Operating trust", "operating", 5_000);
  const { bankAccount: escrow } = await bankAccount("Escrow", "security_deposit", 0);
  const { deposit } = await office.call("createDeposit", {
    body: { bankAccountId: operating.id, depositedOn: "2026-01-06", paymentIds: [payment.id] },
  });
  const { transfer } = await office.call("createTransfer", {
    body: { fromBankAccountId: operating.id, toBankAccountId: escrow.id, amountCents: 1_000, occurredAt: "2026-01-02T12:00:00.000Z" },
  });
  const { adjustment } = await office.call("createBankAdjustment", {
    params: { id: operating.id },
    body: { kind: "interest", amountCents: 1_000, occurredOn: "2026-01-05" },
  });
  const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: `owner-${propertyId}@example.com`, payoutMethod: "check" } });
  await office.call("updateProperty", { params: { id: propertyId }, body: { ownerIds: [owner.id], maintenanceLimitCents: 5_000 } });
  const { contribution } = await office.call("createOwnerContribution", {
    params: { id: owner.id },
    body: { propertyId, bankAccountId: operating.id, amountCents: 7_000, receivedAt: "2026-01-04T12:00:00.000Z", paymentMethod: "ach" },
  });
  const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
  const { expense } = await office.call("createExpense", {
    body: { amountCents: 3_000, incurredOn: "2026-01-03", category: "maintenance", propertyId, vendorId: vendor.id, invoiceNumber: "17" },
  });
  const { expensePayment } = await office.call("recordExpensePayment", {
    body: {
      vendorId: vendor.id,
      amountCents: 2_500,
      paymentMethod: "check",
      paidAt: "2026-01-10T12:00:00.000Z",
      bankAccountId: operating.id,
      allocations: [{ expenseId: expense.id, amountCents: 2_000 }],
    },
  });
  const { ownerPayables } = await office.call("runOwnerPayables", {
    body: { periodEnd: "2026-01-31", propertyIds: [propertyId], bankAccountId: operating.id },
  });
  const { ownerStatement } = await office.call("createOwnerStatement", {
    params: { id: owner.id },
    body: { periodStart: "2026-01-01", periodEnd: "2026-01-31" },
  });
  // Accepting the invite also notifies the admin.
  const { userId } = await office.colleague("staff");
  const recipient = (name: string) => ({ email: `${name}-${propertyId}@example.com`, channels: ["email" as const] });
  const { invite } = await office.call("createTenantInvite", { body: { tenantId, ...recipient("tenant") } });
  const { invite: ownerInvite } = await office.call("createOwnerInvite", { body: { ownerId: owner.id, ...recipient("owner") } });
  const { invite: vendorInvite } = await office.call("createVendorInvite", { body: { vendorId: vendor.id, ...recipient("vendor") } });
  const { workOrder } = await office.call("createWorkOrder", { body: { propertyId, leaseId, title: "The tap drips", vendorId: vendor.id } });
  const { workOrder: maintenanceRequest } = await office.call("createWorkOrder", { body: { propertyId, leaseId, title: "No hot water", source: "tenant" } });
  const { estimate } = await office.call("createWorkOrderEstimate", { params: { id: workOrder.id }, body: { amountCents: 10_000 } });
  const inspectionInput = {
    propertyId,
    unitId: tenancy.unitId,
    scheduledAt: "2026-01-02T15:00:00.000Z",
    areas: [{ name: "Kitchen", items: [{ name: "Oven" }] }],
  };
  const { inspection: otherInspection } = await office.call("createInspection", { body: { ...inspectionInput, type: "move_in" } });
  const { inspection } = await office.call("createInspection", { body: { ...inspectionInput, type: "move_out" } });
  const { inspectionTemplate } = await office.call("createInspectionTemplate", { body: { name: `Storage of ${propertyId}`, areas: [] } });
  const { note } = await office.call("createNote", {
    body: { body: "The key is with the neighbour.", entityType: "property", entityId: propertyId, visibility: "organization_only" },
  });
  const { document } = await office.call("uploadDocument", {
    body: { file: new File(["Three rooms.\n"], "plan.txt"), entityType: "property", entityId: propertyId },
  });
  const { categories } = await office.call("listCategories");
  const categoryIdOf = (code: string) => categories.find((each) => each.code === code)!.id;
  const { journalEntry } = await office.call("createJournalEntry", {
    body: {
      memo: "Opening cash",
      occurredAt: "2026-01-01T12:00:00.000Z",
      lines: [
        { accountId: categoryIdOf("1000"), bankAccountId: operating.id, debitCents: 100 },
        { accountId: categories.find(({ accountType }) => accountType === "equity")!.id, creditCents: 100 },
      ],
    },
  });
  const {
    periods: [accountingPeriod],
  } = await office.call("listAccountingPeriods", { query: { year: "2199" } });
  const { budget } = await office.call("createBudget", {
    body: {
      propertyId,
      name: "Elm Street",
      fiscalYear: 2026,
      startMonth: 1,
      lines: [{ categoryId: categoryIdOf("4000"), amountsCents: Array(12).fill(100_000) }],
    },
  });
  const { recurringChargeRule } = await office.call("createRecurringCharge", {
    body: {
      leaseId,
      amountCents: 1_000,
      categoryId: categories.find(({ accountType }) => accountType === "income")!.id,
      dayOfMonth: 31,
      startDate: "2026-12-01",
      kind: "fee",
      label: "Parking",
      status: "draft",
    },
  });
  const notification = await eventually("notification", async () => (await office.call("listNotifications")).notifications[0]?.id);
  const { occupants } = await office.call("listOccupants", { params: { leaseId } });
  const { rentChange } = await office.call("createRentChange", { params: { id: leaseId }, body: { effectiveDate: "2198-01-01", rentCents: 110_000 } });
  const { billingSchedule } = await office.call("createBillingSchedule", {
    params: { leaseId },
    body: {
      label: "Parking",
      chargeType: "parking",
      categoryId: categoryIdOf("4010"),
      frequency: "monthly",
      steps: [{ startDate: "2026-01-01", amountCents: 1_000 }],
    },
  });
  const { parkingRight } = await office.call("createParkingRight", {
    params: { leaseId },
    body: { parkingType: "reserved", effectiveStart: "2026-01-01", billingScheduleId: billingSchedule.id },
  });
  const { sessions } = await office.call("listSessions");
  const { serviceKey } = await office.call("createServiceKey", { body: { name: "Nightly sync", role: "staff" } });
  const { feeTemplate } = await office.call("createUnitFeeTemplate", {
    params: { unitId: tenancy.unitId },
    body: { label: "Parking", amountCents: 2_000, categoryId: categoryIdOf("4010") },
  });
  return {
    property: propertyId,
    unit: tenancy.unitId,
    tenant: tenantId,
    lease: leaseId,
    occupant: occupants[0]!.id,
    rentChange: rentChange.id,
    billingSchedule: billingSchedule.id,
    parkingRight: parkingRight.id,
    owner: owner.id,
    vendor: vendor.id,
    user: userId,
    session: sessions[0]!.id,
    serviceKey: serviceKey.id,
    feeTemplate: feeTemplate.id,
    invite: invite.id,
    ownerInvite: ownerInvite.id,
    vendorInvite: vendorInvite.id,
    workOrder: workOrder.id,
    maintenanceRequest: maintenanceRequest.id,
    estimate: estimate.id,
    inspection: inspection.id,
    otherInspection: otherInspection.id,
    inspectionItem: inspection.areas[0]!.items[0]!.id,
    inspectionTemplate: inspectionTemplate.id,
    note: note.id,
    document: document.id,
    category: categoryIdOf("4000"),
    bankAccount: operating.id,
    otherBankAccount: escrow.id,
    journalEntry: journalEntry.id,
    accountingPeriod: accountingPeriod!.id,
    budget: budget.id,
    charge,
    credit: credit.id,
    recurringCharge: recurringChargeRule.id,
    payment: payment.id,
    deposit: deposit.id,
    ...(await createDepositFixtures(office, leaseId, charge, operating.id)),
    transfer: transfer.id,
    expense: expense.id,
    expensePayment: expensePayment.id,
    adjustment: adjustment.id,
    contribution: contribution.id,
    ownerPayable: ownerPayables[0]!.id,
    ownerStatement: ownerStatement.id,
    ...(await createManagementFeeFixtures(office, propertyId)),
    ...(await createConversationFixtures(office, tenantId, vendor.id)),
    notification,
    webhookEvent: await createWebhookEvent(office),
    ...(await createReconciliationFixtures(office, operating.id)),
    ...(await createImportFixtures(office)),
    bulkImport: await createBulkImport(office),
  };
}

/** Creates a validated import bundle with one file and one candidate, and a mapping profile. */
async function createImportFixtures(office: Office): Promise<Pick<Fixtures, "importBundle" | "importFile" | "importCandidate" | "mappingProfile">> {
  const { importBundle } = await office.call("createImportBundle", {
    body: { name: "From the old system", provider: "generic", sourceNamespace: "old-system", sourceAccountLabel: "Main account" },
  });
  const params = { id: importBundle.id };
  const csv = "source_id,name,street_line1,city,state,postal_code\nP-1,Oak House,7 Oak Street,Albany,NY,12207\n";
  const { files } = await office.call("uploadImportFiles", { params, body: { file: [new File([csv], "properties.csv")] } });
  await office.call("validateImportBundle", { params });
  await eventually("validated bundle", async () => (await office.call("getImportBundle", { params })).importBundle.status === "ready");
  const { candidates } = await office.call("listImportCandidates", { params });
  const { mappingProfile } = await office.call("createImportMappingProfile", {
    body: { name: `List of houses ${importBundle.id}`, provider: "generic", entityType: "property", mapping: { House: "name" } },
  });
  return { importBundle: importBundle.id, importFile: files[0]!.id, importCandidate: candidates[0]!.id, mappingProfile: mappingProfile.id };
}

/** Creates a validated bulk import with one row and returns its id. */
async function createBulkImport(office: Office): Promise<string> {
  const file = new File(["name,trade\nBrightwater,plumbing\n"], "vendors.csv");
  const { bulkImport } = await office.call("createBulkImport", { body: { entityType: "vendors", file } });
  const { id } = bulkImport;
  await eventually("validated bulk import", async () => (await office.call("getBulkImport", { params: { id } })).bulkImport.status === "ready");
  return id;
}
