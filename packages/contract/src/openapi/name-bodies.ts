/** Names of request bodies and responses: each becomes a component, and those with the same members become one. */
import { nameOfRef, operationsOf, refTo, type MediaType, type OpenApiDocument, type OperationObject, type ResponseObject, type Schema } from "./document.ts";

/** Names of request bodies that several operations share, by the first of these operations. */
const sharedBodies: Record<string, string> = {
  approveOwnerApproval: "EstimateDecisionRequest",
  commentOnMaintenanceRequest: "CommentRequest",
  estimateAssignedWorkOrder: "WorkOrderEstimateRequest",
  markConversationRead: "ReadMessagesRequest",
  resendTenantInvite: "ResendInviteRequest",
  sendTenantConversationMessage: "PortalMessageRequest",
  softCloseAccountingPeriod: "ClosePeriodRequest",
};

/** Names of responses that several operations share and that are neither a single resource nor a page, by the first of these operations. */
const sharedResults: Record<string, string> = {
  createCategory: "EmptyResult",
  createLease: "LeaseDraftResult",
  createOwner: "OwnerDetailsResult",
  createOwnerInvite: "OwnerInviteDeliveryResult",
  createProperty: "PropertyDetailsResult",
  createRentChange: "RentChangeResult",
  createServiceKey: "ServiceKeySecretResult",
  createTenantInvite: "TenantInviteDeliveryResult",
  createVendorInvite: "VendorInviteDeliveryResult",
  creditCharge: "ChargeCreditResult",
  getTenant: "TenantDetailsResult",
  getVendor: "VendorDetailsResult",
  listLeaseLedger: "LedgerResult",
  login: "AuthResult",
  refundPayment: "PaymentRefundResult",
  requestPasswordReset: "AcceptedResult",
};

const FORM = "application/x-www-form-urlencoded";
const PAGING = ["page", "pageSize", "total", "totalPages"];

const capitalize = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`;

/** Returns the component that a schema refers to, also through `allOf` with a description. */
const componentOf = ({ $ref, allOf, nullable }: Schema = {}): string | undefined => {
  const ref = $ref ?? (allOf?.length === 1 && !nullable ? allOf[0]!.$ref : undefined);
  return ref && nameOfRef(ref);
};

/** Returns the text of a schema's members that is the same for schemas of one shape, without the descriptions of references. */
const shapeOf = ({ properties = {}, required = [], additionalProperties }: Schema): string =>
  JSON.stringify([
    Object.keys(properties)
      .toSorted()
      .map((name) => [name, componentOf(properties[name]) ?? properties[name]]),
    required.toSorted(),
    additionalProperties,
  ]);

/** Merges schemas of the same shape. A reference whose descriptions differ keeps the description of its component. */
function mergeShapes(schemas: readonly Schema[]): Schema {
  const [first, ...others] = schemas as [Schema, ...Schema[]];
  const members = Object.entries(first.properties ?? {}).map(([name, member]): [string, Schema] => {
    const component = componentOf(member);
    const isSame = others.every(({ properties }) => properties![name]!.description === member.description);
    return [name, isSame || component === undefined ? member : refTo(component)];
  });
  return { ...first, properties: Object.fromEntries(members) };
}

/** Turns members that are the only one of their component into plain references, which have the description of the component. */
function simplifyReferences(schema: Schema): Schema {
  const members = Object.entries(schema.properties ?? {});
  const components = members.map(([, member]) => componentOf(member));
  const isOnlyOne = (name: string | undefined): name is string => name !== undefined && components.indexOf(name) === components.lastIndexOf(name);
  return {
    ...schema,
    properties: Object.fromEntries(members.map(([name, member], index) => [name, isOnlyOne(components[index]) ? refTo(components[index]) : member])),
  };
}

interface Use {
  operationId: string;
  contentType: string;
  media: MediaType;
}

/** Returns the name of a response: `LeaseResult` for a lease alone, `LeasePage` for a page of leases, else the name of its operation. */
function resultName({ properties = {} }: Schema, { operationId }: Use): string {
  const names = Object.keys(properties);
  const rows = names.filter((name) => !PAGING.includes(name));
  const [row] = rows;
  const isPage = names.length === PAGING.length + 1 && rows.length === 1;
  const component = row !== undefined && rows.length === 1 ? componentOf(isPage ? properties[row]!.items : properties[row]) : undefined;
  if (component && isPage) return `${component}Page`;
  if (component && names.length === 1) return `${component}Result`;
  return sharedResults[operationId] ?? `${capitalize(operationId)}Result`;
}

/** Turns the schemas of media types into components, one for each shape. */
function addComponents(schemas: Record<string, Schema>, uses: readonly Use[], kind: string, nameOf: (schema: Schema, use: Use) => string): void {
  for (const group of Map.groupBy(uses, ({ media }) => shapeOf(media.schema)).values()) {
    const schema = mergeShapes(group.map(({ media }) => media.schema));
    const name = nameOf(schema, group[0]!);
    if (schemas[name]) throw new Error(`There are two schemas called ${name}. Give the ${kind} of ${group[0]!.operationId} a name in name-bodies.ts.`);
    const users = new Set(group.map(({ operationId }) => `\`${operationId}\``));
    schemas[name] = { ...schema, description: `${kind} of ${[...users].join(", ")}.` };
    for (const { media } of group) media.schema = refTo(name);
  }
}

const inlineUses = (operations: readonly OperationObject[], holdersOf: (operation: OperationObject) => ResponseObject[]): Use[] =>
  operations.flatMap((operation) =>
    holdersOf(operation)
      .flatMap(({ content }) => Object.entries(content ?? {}))
      .flatMap(([contentType, media]) => (media.schema.properties ? [{ operationId: operation.operationId, contentType, media }] : [])),
  );

/** Turns the schemas of bodies and responses into components with a name and a description. */
export function nameBodies(document: OpenApiDocument): void {
  const { schemas } = document.components;
  const operations = operationsOf(document);
  const bodies = inlineUses(operations, ({ requestBody }) => (requestBody ? [requestBody] : []));
  const results = inlineUses(operations, ({ responses }) => Object.values(responses));
  for (const { media } of results) media.schema = simplifyReferences(media.schema);
  addComponents(
    schemas,
    bodies,
    "Request body",
    (_, use) => sharedBodies[use.operationId] ?? `${capitalize(use.operationId)}${use.contentType === FORM ? "Form" : "Request"}`,
  );
  addComponents(schemas, results, "Response", resultName);
}
