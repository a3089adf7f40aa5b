/** Names of the enums that occur in several places: each becomes a component. */
import { mapSchemas, operationsOf, refTo, type OpenApiDocument, type Schema } from "./document.ts";

/** Names of enums, each with a place where it occurs: a member of a component, or a parameter of an operation. */
const places: Record<string, string> = {
  InsuranceKind: "VendorInsurance.kind",
  Role: "User.role",
  OfficeRole: "CreateUserRequest.role",
  ServiceKeyRole: "ServiceKey.role",
  ServiceKeyScope: "ServiceKey.scopes",
  AccountingBasis: "Organization.defaultBasis",
  ProrationMethod: "Policies.prorationMethod",
  PolicyEnforcement: "Policies.vendorInsurance",
  AssetClass: "Property.assetClass",
  NoteEntityType: "Note.entityType",
  NoteVisibility: "Note.visibility",
  UnitType: "Unit.unitType",
  UnitStatus: "Unit.status",
  RecurringChargeKind: "RecurringChargeRule.kind",
  LeaseStatus: "Lease.status",
  LeaseKind: "Lease.leaseKind",
  LeaseTermType: "Lease.termType",
  RentCommencementCondition: "Lease.rentCommencementCondition",
  LateFeeType: "Lease.lateFeeType",
  OccupantRole: "Occupant.role",
  ParkingType: "ParkingRight.parkingType",
  ParkingRateBasis: "ParkingRight.rateBasis",
  ParkingRateFrequency: "ParkingRight.rateFrequency",
  ParkingChargeKind: "ParkingRight.linkedCharge.kind",
  ChargeType: "Charge.chargeType",
  ChargeStatus: "Charge.status",
  CreditReason: "ChargeCredit.reason",
  BillingScheduleChargeType: "BillingSchedule.chargeType",
  BillingFrequency: "BillingSchedule.frequency",
  PortalStatus: "Tenant.portalStatus",
  InviteStatus: "TenantInvite.status",
  InviteChannel: "CreateTenantInviteRequest.channels",
  PayoutMethod: "Owner.payoutMethod",
  StatementDelivery: "Owner.statementDeliver",
  TaxIdType: "Owner.taxIdType",
  WorkOrderCategory: "WorkOrder.category",
  WorkOrderPriority: "WorkOrder.priority",
  WorkOrderStatus: "WorkOrder.status",
  WorkOrderSource: "WorkOrder.source",
  WorkOrderPayer: "WorkOrder.chargeableTo",
  EntryPermission: "WorkOrder.entryPermission",
  EstimateStatus: "WorkOrderEstimate.status",
  DocumentEntityType: "DocumentFile.entityType",
  DocumentCategory: "DocumentFile.category",
  DocumentVisibility: "DocumentFile.visibility",
  InspectionType: "Inspection.type",
  InspectionStatus: "Inspection.status",
  InspectionCondition: "InspectionItem.condition",
  SignatureRole: "InspectionSignature.role",
  SearchType: "SearchMatch.type",
  ActivityType: "ActivityItem.type",
  AccountType: "Category.accountType",
  JournalEntryStatus: "JournalEntry.status",
  JournalEntrySource: "JournalEntry.source",
  PaymentMethod: "Payment.paymentMethod",
  PaymentStatus: "Payment.status",
  ReversalReason: "ReversePaymentRequest.reason",
  DepositStatus: "Deposit.status",
  NotificationChannel: "UserNotification.channel",
  NotificationPriority: "UserNotification.priority",
  BulkImportEntityType: "BulkImport.entityType",
  BulkImportMode: "BulkImport.mode",
  BulkImportStatus: "BulkImport.status",
  BulkImportRowStatus: "BulkImportRow.status",
  ImportProvider: "ImportBundle.provider",
  ImportBundleStatus: "ImportBundle.status",
  ImportEntityType: "ImportFile.entityType",
  ImportCandidateStatus: "ImportCandidate.status",
  GrantType: "RefreshTokenRequest.grantType",
  HealthStatus: "GetHealthResult.status",
  StatementFormat: "getLeaseStatement.format",
  SortDirection: "listUsers.sortDirection",
  PropertySort: "listProperties.sortBy",
  UnitSort: "listUnits.sortBy",
  LeaseSort: "listLeases.sortBy",
  ChargeSort: "listCharges.sortBy",
  WorkOrderSort: "listWorkOrders.sortBy",
  PortalWorkOrderSort: "listAssignedWorkOrders.sortBy",
  PortalDocumentSort: "listTenantPortalDocuments.sortBy",
  EstimateSort: "listWorkOrderEstimates.sortBy",
  NameSort: "listInspectionTemplates.sortBy",
  ErrorCode: "ApiError.code",
};

/** Returns the values of the enum at a place. */
function enumAt(document: OpenApiDocument, place: string): unknown[] {
  const [owner, ...path] = place.split(".") as [string, ...string[]];
  const parameters = operationsOf(document).find(({ operationId }) => operationId === owner)?.parameters ?? [];
  let schema: Schema | undefined = parameters.find(({ name }) => name === path[0])?.schema;
  if (!schema) {
    schema = document.components.schemas[owner];
    for (const name of path) schema = (schema?.items ?? schema)?.properties?.[name];
  }
  const values = (schema?.items ?? schema)?.enum;
  if (!values) throw new Error(`There is no enum at ${place}. Correct its place in name-enums.ts.`);
  return values;
}

/** Turns each enum with a name into a component. */
export function nameEnums(document: OpenApiDocument): void {
  const names = new Map<string, string>();
  const components: Record<string, Schema> = {};
  for (const [name, place] of Object.entries(places)) {
    const values = enumAt(document, place);
    names.set(JSON.stringify(values), name);
    components[name] = { type: "string", enum: values, description: `Values of \`${place}\`.` };
  }
  mapSchemas(document, (schema) => {
    const name = schema.enum && names.get(JSON.stringify(schema.enum));
    if (name === undefined) return schema;
    const { enum: _values, type: _type, ...rest } = schema;
    if (Object.keys(rest).length === 0) return refTo(name);
    return { ...rest, ...(rest.nullable && { type: "string" }), allOf: [refTo(name)] };
  });
  Object.assign(document.components.schemas, components);
}
