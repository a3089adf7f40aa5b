/** Examples for the OpenAPI document, generated from the schemas with realistic values. */

import { nameOfRef, operationsOf, type MediaType, type OpenApiDocument, type Schema } from "./openapi/document.ts";

/** Example values by member name, for members whose schema has the type of the value and no format with an example in `formats`. */
const exampleValues: Record<string, unknown> = {
  fullName: "Ana Díaz",
  firstName: "Ana",
  lastName: "Díaz",
  tenantName: "Ana Díaz",
  companyName: "Elm & Co",
  organizationName: "Elm Street Management",
  name: "Elm Court",
  propertyName: "Elm Court",
  title: "Leaking tap",
  label: "Parking",
  description: "The kitchen tap drips day and night.",
  body: "The key is with the neighbour.",
  note: "Agreed by phone.",
  notes: "Ring twice.",
  memo: "Opening balance",
  reason: "Entered twice",
  message: "Something happened.",
  phone: "+15185550142",
  alternatePhone: "+15185550143",
  streetLine1: "12 Elm Street",
  streetLine2: "2nd floor",
  mailingAddress: "12 Elm Street, Albany, NY 12207",
  address: "12 Elm Street, Albany, NY 12207",
  city: "Albany",
  state: "NY",
  postalCode: "12207",
  unitNumber: "4B",
  trade: "Plumbing",
  timezone: "America/New_York",
  locale: "en-US",
  preferredLanguage: "en",
  slug: "elm-street",
  password: "correct horse battery staple",
  currentPassword: "correct horse battery staple",
  newPassword: "staple battery horse correct",
  taxId: "12-3456789",
  taxIdLast4: "6789",
  fileName: "lease.pdf",
  contentType: "application/pdf",
  checkNumber: "1042",
  amountCents: 150_000,
  balanceCents: 150_000,
  rentCents: 150_000,
  monthlyRentCents: 150_000,
  marketRentCents: 155_000,
  debitCents: 150_000,
  creditCents: 0,
  units: 12,
  occupiedUnits: 11,
  bedrooms: 2,
  bathrooms: 1,
  dayOfMonth: 1,
  rentChargeDay: 1,
  page: 1,
  pageSize: 20,
  total: 1,
  totalPages: 1,
  shareBps: 10_000,
  q: "elm",
};

const ID = "01974b2e-7c1a-7e3f-9b5d-2a6c8e0f4d13";
const formats: Record<string, string> = {
  uuid: ID,
  date: "2026-06-01",
  "date-time": "2026-06-01T12:00:00.000Z",
  email: "ana@example.com",
  uri: "https://example.com/",
  binary: "",
};
const fallbackTexts = ["Some text", "NY", "12207", "1", "00:00", "staple battery horse correct", "0123456789abcdef"];

const schemaTypeOf = (value: unknown): string => (Number.isInteger(value) ? "integer" : typeof value);
const matchesSchema =
  ({ minLength = 0, pattern }: Schema) =>
  (text: string) =>
    text.length >= minLength && (!pattern || new RegExp(pattern).test(text));

function exampleOf(schema: Schema, name: string, resolveRef: (ref: string) => Schema): unknown {
  if (schema.$ref) return exampleOf(resolveRef(schema.$ref), name, resolveRef);
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (choice) return exampleOf(choice, name, resolveRef);
  if (schema.type === "object") return exampleMembers(schema, resolveRef);
  if (schema.type === "array") return [exampleOf(schema.items ?? {}, name, resolveRef)];
  if (schema.format && formats[schema.format] !== undefined) return formats[schema.format];
  const namedExample = exampleValues[name];
  if (namedExample !== undefined && (schemaTypeOf(namedExample) === schema.type || (schema.type === "number" && typeof namedExample === "number")))
    return clamp(namedExample, schema);
  if (schema.type === "string") return fallbackTexts.find(matchesSchema(schema)) ?? "Some text";
  if (schema.type === "boolean") return schema.default ?? true;
  return clamp(1, schema);
}

const clamp = (value: unknown, { minimum = -Infinity, maximum = Infinity }: Schema): unknown =>
  typeof value === "number" ? Math.min(maximum, Math.max(minimum, value)) : value;

const exampleMembers = ({ properties = {} }: Schema, resolveRef: (ref: string) => Schema): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, name, resolveRef)]));

/** Example lines of a journal entry, which balance. */
const entryLines = [
  { accountId: ID, debitCents: 150_000, description: "Cash" },
  { accountId: ID, creditCents: 150_000, description: "Owner's equity" },
];

/** Adjustments of request bodies whose members depend on each other. */
const bodyAdjustments: Record<string, (body: Record<string, unknown>) => Record<string, unknown>> = {
  createInspection: (body) => ({ ...body, templateId: null }),
  transitionAssignedWorkOrder: (body) => ({ ...body, status: "completed" }),
  transitionWorkOrder: (body) => ({ ...body, status: "completed" }),
  createRecurringCharge: (body) => ({ ...body, unitId: undefined }),
  resolveImportCandidate: ({ action, entityId }) => ({ action, entityId }),
  createJournalEntry: (body) => ({ ...body, lines: entryLines }),
  updateJournalEntry: (body) => ({ ...body, lines: entryLines }),
};

/** Adds an example to every JSON request body and every JSON response with status 200 of a document. */
export function addExamples(document: OpenApiDocument): void {
  const resolveRef = (ref: string): Schema => document.components.schemas[nameOfRef(ref)]!;
  const addExample = (content: Record<string, MediaType> | undefined): void => {
    const json = content?.["application/json"];
    if (json) json.example = exampleOf(json.schema, "", resolveRef);
  };
  for (const { operationId, requestBody, responses } of operationsOf(document)) {
    addExample(requestBody?.content);
    const body = requestBody?.content["application/json"];
    if (body && bodyAdjustments[operationId]) body.example = bodyAdjustments[operationId](body.example as Record<string, unknown>);
    addExample(responses["200"]?.content);
  }
}
