/** Names of the enums that occur in several places: each becomes a component. */
import { mapSchemas, operationsOf, refTo, type OpenApiDocument, type Schema } from "./document.ts";

/** Place of an enum, a member of a component or a parameter of an operation, and its description if that of the place is not general enough. */
type Place = string | readonly [place: string, description: string];

/** Names of enums, each with a place where it occurs. */
const places: Record<string, Place> = {
  InsuranceKind: "VendorInsurance.kind",
  Role: "User.role",
  OfficeRole: "CreateUserRequest.role",
  ServiceKeyRole: "ServiceKey.role",
  ServiceKeyScope: ["ServiceKey.scopes", "Scope of a service key: `read` permits the GET operations of the service, `write` all its operations."],
  AccountingBasis: ["Organization.defaultBasis", "Accounting basis: `accrual` recognizes charges when they are due, `cash` when they are paid."],
  ProrationMethod: [
    "Policies.prorationMethod",
    "Method for prorating partial months of rent: `actual_days` divides by the days of the month, `thirty_day` by 30, `annual_365` divides twelve rents by 365.",
  ],
  PolicyEnforcement: ["Policies.vendorInsurance", "Handling of a breach of a policy: `off` permits it, `warn` permits it with a warning, `block` refuses it."],
  AssetClass: "Property.assetClass",
  NoteEntityType: "Note.entityType",
  NoteVisibility: "Note.visibility",
  UnitType: "Unit.unitType",
  UnitStatus: "Unit.status",
  RecurringChargeKind: "RecurringChargeRule.kind",
  RecurringChargeStatus: "RecurringChargeRule.status",
  LeaseStatus: "Lease.status",
  LeaseKind: "Lease.leaseKind",
  LeaseTermType: "Lease.termType",
  RentCommencementCondition: [
    "Lease.rentCommencementCondition",
    "Event that begins the obligation to pay rent: the start date, the handover of possession, `rentCommencementDate`, the opening of the business, or another condition.",
  ],
  LateFeeType: "Lease.lateFeeType",
  OccupantRole: "Occupant.role",
  ParkingType: "ParkingRight.parkingType",
  ParkingRateBasis: "ParkingRight.rateBasis",
  ParkingRateFrequency: ["ParkingRight.rateFrequency", "Period that the rate of a parking right applies to."],
  ParkingChargeKind: ["ParkingRight.linkedCharge.kind", "Kind of the resource that bills a parking right."],
  ChargeType: "Charge.chargeType",
  ChargeStatus: "Charge.status",
  CreditReason: "ChargeCredit.reason",
  BillingScheduleChargeType: "BillingSchedule.chargeType",
  BillingFrequency: "BillingSchedule.frequency",
  PortalStatus: "Tenant.portalStatus",
  InviteStatus: "TenantInvite.status",
  InviteChannel: ["CreateTenantInviteRequest.channels", "Channel of a message to a person."],
  PayoutMethod: "Owner.payoutMethod",
  StatementDelivery: "Owner.statementDeliver",
  TaxIdType: ["Owner.taxIdType", "Type of a tax ID: `ssn` (Social Security number) or `ein` (Employer Identification Number)."],
  WorkOrderCategory: "WorkOrder.category",
  WorkOrderPriority: "WorkOrder.priority",
  WorkOrderStatus: "WorkOrder.status",
  WorkOrderSource: "WorkOrder.source",
  WorkOrderPayer: ["WorkOrder.chargeableTo", "Party that bears the cost: the owner, the tenant or the managing organization."],
  EntryPermission: "WorkOrder.entryPermission",
  EstimateStatus: "WorkOrderEstimate.status",
  DocumentEntityType: "DocumentFile.entityType",
  DocumentCategory: "DocumentFile.category",
  DocumentVisibility: "DocumentFile.visibility",
  InspectionType: "Inspection.type",
  DiagnosticKey: ["Diagnostic.key", "Check of the trust accounts and the ledger."],
  InspectionStatus: "Inspection.status",
  InspectionCondition: "InspectionItem.condition",
  SignatureRole: "InspectionSignature.role",
  SearchType: "SearchMatch.type",
  ActivityType: "ActivityItem.type",
  AccountType: "Category.accountType",
  IncomeOrExpense: ["BudgetVarianceRow.accountType", "Type of an account of the income statement."],
  BudgetStatus: "Budget.status",
  JournalEntryStatus: "JournalEntry.status",
  JournalEntrySource: "JournalEntry.source",
  PaymentMethod: "Payment.paymentMethod",
  PaymentStatus: "Payment.status",
  ReversalReason: "ReversePaymentRequest.reason",
  PostingStatus: ["Deposit.status", "Status of a document with a journal entry: `posted`, or `voided`, which takes it back."],
  JournalDocument: ["JournalEntry.sourceType", "Type of a document that journal entries record."],
  ExpenseCategory: "Expense.category",
  ExpenseStatus: "Expense.status",
  ApprovalStatus: "Expense.approvalStatus",
  ExpensePaymentMethod: "ExpensePayment.paymentMethod",
  ExpensePaymentStatus: "ExpensePayment.status",
  ManagementFeeType: "ManagementFeeAgreement.feeType",
  LeaseFeeType: "LeaseFee.type",
  ManagementFeeKind: "ManagementFee.kind",
  ManagementFeeRunStatus: ["ManagementFeeRun.status", "Status of a run of management fees: `completed`, or `reversed`, which takes its fees back."],
  BankAccountType: "BankAccount.accountType",
  BankAdjustmentKind: "BankAdjustment.kind",
  BeneficiaryKind: [
    "SubLedger.kind",
    "Beneficiary of money in a bank account: the `owner` of a property, the tenant of a security `deposit` or of `prepaid` rent, or the `manager`.",
  ],
  BankStatementFormat: "StatementUpload.format",
  ReconciliationStatus: "Reconciliation.status",
  MatchReason: "ReconciliationItem.matchReason",
  TransferAllocationKind: "TransferAllocation.kind",
  OwnerPayableStatus: "OwnerPayable.status",
  DistributionStatus: "OwnerDistribution.status",
  DistributionMethod: "OwnerPayable.method",
  PayoutTermKey: "PayoutTerm.key",
  PayoutSkipReason: "SkippedPayout.reason",
  DepositHolder: "SecurityDeposit.holder",
  SecurityDepositStatus: "SecurityDeposit.status",
  DeductionCategory: "SecurityDepositDeduction.category",
  DispositionMethod: "SecurityDepositDisposition.method",
  ParticipantType: "Conversation.participantType",
  ConversationChannel: ["Conversation.channels", "Channel of a conversation: `in_app` (the portal), `sms` or `email`."],
  ConversationStatus: "Conversation.status",
  MessageSender: "ConversationMessage.senderType",
  DeliveryStatus: "MessageDelivery.status",
  EmailAccountKind: "EmailAccount.kind",
  EmailAccountStatus: "EmailAccount.status",
  SuppressionReason: "Suppression.reason",
  BlastStatus: "NotificationBlast.status",
  BlastChannel: ["NotificationBlast.channels", "Channel of a blast: `in_app` (the portal), `email` or `sms`."],
  BlastRecipientStatus: "BlastRecipient.status",
  NotificationChannel: "UserNotification.channel",
  NotificationPriority: "UserNotification.priority",
  NotificationTypeName: ["NotificationPreference.type", "Type of a notification, as the event that causes it."],
  DeliveryMode: ["NotificationPreference.deliveryMode", "Mode of a delivery: `immediate`, or `daily_digest` for one e-mail a day."],
  WebhookReceiver: "WebhookEvent.receiver",
  WebhookEventStatus: "WebhookEvent.status",
  BulkImportEntityType: "BulkImport.entityType",
  BulkImportMode: "BulkImport.mode",
  BulkImportStatus: "BulkImport.status",
  BulkImportRowStatus: "BulkImportRow.status",
  ImportProvider: "ImportBundle.provider",
  ImportBundleStatus: "ImportBundle.status",
  ImportEntityType: ["ImportFile.entityType", "Type of an imported record."],
  ImportCandidateStatus: "ImportCandidate.status",
  GrantType: [
    "RefreshTokenRequest.grantType",
    "Kind of credentials of a token request: `refresh_token` for a session, `client_credentials` for a service key.",
  ],
  EventType: ["streamEvents.types", "Type of an event, as `entity.verb`, such as `payment.received`."],
  HealthStatus: [
    "GetHealthResult.status",
    "Health of a component or of the system: `ok`, `degraded` (usable, with delayed events or fewer replicas) or `down` (a component does not respond).",
  ],
  StatementFormat: "getLeaseStatement.format",
  PrintFormat: [
    "getPaymentReceipt.format",
    "Format of a response: `json`, or `pdf` for a document of letter size to print or send. Default: the format in the header `Accept`, otherwise `json`.",
  ],
  SortDirection: "listUsers.sortDirection",
  PropertySort: "listProperties.sortBy",
  UnitSort: "listUnits.sortBy",
  LeaseSort: "listLeases.sortBy",
  ChargeSort: "listCharges.sortBy",
  ExpenseSort: "listExpenses.sortBy",
  ExpensePaymentSort: "listExpensePayments.sortBy",
  PaymentOfTenantSort: "listTenantPayments.sortBy",
  OwnerStatementSort: "listOwnerStatements.sortBy",
  ConversationSort: "listConversations.sortBy",
  DocumentSort: "listDocuments.sortBy",
  WorkOrderSort: "listWorkOrders.sortBy",
  PortalWorkOrderSort: "listAssignedWorkOrders.sortBy",
  PortalDocumentSort: "listTenantPortalDocuments.sortBy",
  EstimateSort: "listWorkOrderEstimates.sortBy",
  BankTransactionSort: "listBankTransactions.sortBy",
  NameSort: "listInspectionTemplates.sortBy",
  ErrorCode: "ApiError.code",
  FieldErrorCode: "FieldError.code",
};

/** Returns the enum at a place, with the description of its member or parameter. */
function enumAt(document: OpenApiDocument, place: string): { values: unknown[]; description: string | undefined } {
  const [owner, ...path] = place.split(".") as [string, ...string[]];
  const parameters = operationsOf(document).find(({ operationId }) => operationId === owner)?.parameters ?? [];
  const parameter = parameters.find(({ name }) => name === path[0]);
  let schema: Schema | undefined = parameter?.schema;
  if (!schema) {
    schema = document.components.schemas[owner];
    for (const name of path) schema = (schema?.items ?? schema)?.properties?.[name];
  }
  const values = (schema?.items ?? schema)?.enum;
  if (!values) throw new Error(`There is no enum at ${place}. Correct its place in name-enums.ts.`);
  return { values, description: parameter?.description ?? schema?.description };
}

/**
 * Turns each enum with a name into a component, which has the description of its place. A member with the same description becomes
 * a plain reference; another one keeps its own beside the reference.
 */
export function nameEnums(document: OpenApiDocument): void {
  const names = new Map<string, string>();
  const components: Record<string, Schema> = {};
  for (const [name, entry] of Object.entries(places)) {
    const [place, general] = typeof entry === "string" ? [entry] : entry;
    const { values, description } = enumAt(document, place);
    names.set(JSON.stringify(values), name);
    components[name] = { type: "string", enum: values, description: (general ?? description)! };
  }
  mapSchemas(document, (schema) => {
    const name = schema.enum && names.get(JSON.stringify(schema.enum));
    if (name === undefined) return schema;
    const { enum: _values, type: _type, description, ...rest } = schema;
    const isGeneral = description === undefined || description === components[name]!.description;
    if (isGeneral && Object.keys(rest).length === 0) return refTo(name);
    return { ...rest, ...(description !== undefined && { description }), ...(rest.nullable && { type: "string" }), allOf: [refTo(name)] };
  });
  Object.assign(document.components.schemas, components);
}
