/** Examples of single operations: bodies whose members depend on each other, and responses that are texts. */
import { idOf } from "./example-records.ts";
import { EXAMPLE_TIME } from "./example-values.ts";

/** Example lines of a journal entry, which balance. */
const entryLines = [
  { accountId: idOf("account"), debitCents: 150_000, description: "Cash" },
  { accountId: idOf("account"), creditCents: 150_000, description: "Owner's equity" },
];

/** Example terms of a management fee: a share of the rent, at least an amount, and late fees as a whole. */
const feeTerms = {
  effectiveTo: null,
  flatCents: null,
  minimumCents: 5_000,
  maximumCents: null,
  includedChargeTypes: ["rent"],
  managerKeepsChargeTypes: ["late_fee"],
  leasingFee: { type: "percent_first_month", bps: 5_000, cents: null },
  renewalFee: null,
};

type Body = Record<string, unknown>;

const bodyAdjustments: Record<string, (body: Body) => Body> = {
  uploadImportFiles: (body) => ({ ...body, file: ["tenants.csv", "leases.csv"] }),
  createBulkImport: (body) => ({ ...body, file: "tenants.csv" }),
  uploadStatementLines: (body) => ({ ...body, file: "june.csv" }),
  createBankAccount: (body) => ({ ...body, ownerId: null }),
  createInspection: (body) => ({ ...body, templateId: null }),
  transitionAssignedWorkOrder: (body) => ({ ...body, status: "completed" }),
  transitionWorkOrder: (body) => ({ ...body, status: "completed" }),
  createRecurringCharge: (body) => ({ ...body, unitId: undefined }),
  resolveImportCandidate: ({ action, entityId }) => ({ action, entityId }),
  createJournalEntry: (body) => ({ ...body, lines: entryLines }),
  updateJournalEntry: (body) => ({ ...body, lines: entryLines }),
  createTransfer: (body) => ({
    ...body,
    toBankAccountId: idOf("reserveAccount"),
    allocations: [{ propertyId: idOf("property"), amountCents: body.amountCents }],
  }),
  createManagementFeeAgreement: (body) => ({ ...body, ...feeTerms }),
  updateManagementFeeAgreement: (body) => ({ ...body, ...feeTerms }),
  recordSecurityDepositReceipt: ({ amountCents, paymentMethod, receivedAt, checkNumber, bankAccountId }) => ({
    amountCents,
    paymentMethod,
    receivedAt,
    checkNumber,
    bankAccountId,
  }),
  transferSecurityDeposit: ({ toLeaseId, occurredOn }) => ({ toLeaseId, occurredOn }),
  splitExpense: (body) => ({ ...body, lines: [90_000, 60_000].map((amountCents) => ({ propertyId: idOf("property"), amountCents })) }),
  refreshToken: (body) => pick(body, ["grantType", "clientId", "clientSecret"], ["grant_type", "client_id", "client_secret"]),
};

/** Keeps the members of the first list of names that the body has. */
const pick = (body: Body, ...lists: string[][]): Body => {
  const names = lists.find(([first]) => first! in body) ?? [];
  return Object.fromEntries(names.map((name) => [name, body[name]]));
};

/** Returns the example of a request body with the members that the operation accepts together. */
export const adjustBody = (operationId: string, body: Body): Body => bodyAdjustments[operationId]?.(body) ?? body;

const redirectTo = (url: string) => ({ "text/plain": `Found. Redirecting to ${url}`, "text/html": `<p>Found. Redirecting to ${url}</p>` });

const event = {
  id: idOf("event"),
  type: "payment.received",
  organizationId: idOf("organization"),
  occurredAt: EXAMPLE_TIME,
  entityType: "payment",
  entityId: idOf("payment"),
  actorUserId: idOf("user"),
  requestId: idOf("request"),
  data: { tenantId: idOf("tenant"), leaseId: idOf("lease"), receivedAt: EXAMPLE_TIME },
};

/** Examples of responses that are no JSON, by operation and content type. */
export const fileExamples: Record<string, Record<string, string>> = {
  streamEvents: {
    "text/event-stream": `retry: 3000\nid: m3x1q8-41\nevent: stream.ready\ndata: {"sequence":41}\n\nid: m3x1q8-42\nevent: payment.received\ndata: ${JSON.stringify(event)}\n\n`,
  },
  followShortLink: redirectTo("https://freehold.example/invites/aW52aXRlLXRva2Vu"),
  getImportFailures: {
    "text/csv": "file,row,entityType,sourceId,status,code,message\r\ntenants.csv,7,tenant,T-1042,invalid,required,fullName is required.\r\n",
  },
  getImportIdentityMap: {
    "text/csv": `entityType,sourceNamespace,sourceId,serviceId,action\r\ntenant,old-system,T-1042,${idOf("tenant")},created\r\n`,
  },
};
