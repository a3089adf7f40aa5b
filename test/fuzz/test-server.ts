/** Small test API for the tests of the fuzzer: conforms to its OpenAPI document, or has exactly one defect that the fuzzer must report. */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { OpenApiDocument, Schema } from "./document/document.ts";

/** Possible defects. Each must be reported as a violation of the check of the same name. */
export const defects = [
  "serverError",
  "undocumentedStatus",
  "undocumentedContentType",
  "schemaMismatch",
  "requestIdNotEchoed",
  "insecureHeaders",
  "missingHeader",
  "acceptedInvalid",
  "refusedValid",
  "foreignDataExposed",
  "foreignIdAccepted",
  "foreignIdDistinguished",
  "notReadableAfterCreate",
  "usableAfterDelete",
  "refusalHadEffect",
  "replayDiffers",
  "keyReuseAccepted",
  "roleIgnored",
  "tokenIgnored",
  "unsupportedMethod",
  "versionIgnored",
] as const;
export type Defect = (typeof defects)[number];

const string: Schema = { type: "string" };
const id: Schema = { type: "string", format: "uuid" };
const ref: Schema = { $ref: "#/components/schemas/Box" };
const json = (schema: Schema) => ({ content: { "application/json": { schema } } });
const object = (properties: Record<string, Schema>, required = Object.keys(properties)): Schema => ({ type: "object", properties, required });
const header = (name: string) => ({ name, in: "header" as const, schema: { type: "string", maxLength: 255 } });
const byId = { name: "id", in: "path" as const, required: true, schema: id };
const errorResponses = Object.fromEntries([400, 401, 403, 404, 409, 412].map((status) => [status, json({ $ref: "#/components/schemas/Error" })]));
const describeOperation = (operationId: string, response: Schema) => ({
  operationId,
  description: "Roles: admin.",
  security: [{ bearer: [] }],
  responses: { 200: json(response), ...errorResponses },
});

/** OpenAPI document of the test API: boxes, which may contain boxes. */
export const boxes: OpenApiDocument = {
  paths: {
    "/boxes": {
      get: {
        ...describeOperation("listBoxes", object({ boxes: { type: "array", items: ref }, total: { type: "integer" } })),
        parameters: [{ name: "page", in: "query", schema: { type: "integer", minimum: 1, maximum: 1_000 } }],
      },
      post: {
        ...describeOperation("createBox", object({ box: ref })),
        parameters: [header("Idempotency-Key")],
        requestBody: json({
          ...object({ label: { type: "string", minLength: 1, maxLength: 40 }, boxId: { ...id, nullable: true } }, ["label"]),
          additionalProperties: false,
        }),
      },
    },
    "/boxes/{id}": {
      get: { ...describeOperation("getBox", object({ box: ref })), deprecated: true, parameters: [byId] },
      delete: { ...describeOperation("deleteBox", object({ box: ref })), parameters: [byId, header("If-Match")] },
    },
  },
  components: {
    securitySchemes: { bearer: { type: "http" } },
    schemas: {
      Box: object({ id, label: string, boxId: { ...id, nullable: true } }),
      Error: object({ message: string, errors: { type: "array", items: object({ path: string, code: string }) } }, ["message"]),
    },
  },
};

interface Box {
  id: string;
  label: string;
  boxId: string | null;
}
type Reply = [status: number, body: object, headers?: Record<string, string>];
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const errorReply = (status: number, message: string, headers: Record<string, string> = {}, errors: object[] = []): Reply => [
  status,
  { message, errors },
  headers,
];

/** Creates the request handler. A token consists of an organization's name and a role. */
function createHandler(defect: Defect | undefined) {
  const boxesByOrganization = new Map<string, Map<string, Box>>();
  const storedReplies = new Map<string, { bodyHash: string; response: object }>();
  const hasDefect = (name: Defect) => defect === name;

  return (method: string, target: string, headers: IncomingMessage["headers"], bodyText: string): Reply => {
    const [path, search] = target.split("?");
    const [, resource, boxId] = path!.split("/");
    const methods = resource === "boxes" ? (boxId === undefined ? ["GET", "POST"] : ["GET", "DELETE"]) : [];
    if (!methods.includes(method)) return errorReply(hasDefect("unsupportedMethod") ? 404 : 405, "The method is not allowed.", { Allow: methods.join(", ") });
    const [organization, role] =
      /^Bearer (one|two)\.(admin|staff)$/.exec(headers.authorization ?? "")?.slice(1) ?? (hasDefect("tokenIgnored") ? ["anybody", "admin"] : []);
    if (!organization) return errorReply(401, "The token is invalid.", hasDefect("missingHeader") ? {} : { "WWW-Authenticate": "Bearer" });
    if (role !== "admin" && !hasDefect("roleIgnored")) return errorReply(403, "The role is not allowed.");
    const ownBoxes = boxesByOrganization.get(organization) ?? boxesByOrganization.set(organization, new Map()).get(organization)!;
    const invalidParameters = [...new URLSearchParams(search)].filter(
      ([name, value]) => boxId !== undefined || method !== "GET" || name !== "page" || !/^[1-9]\d{0,2}$/.test(value),
    );
    if (invalidParameters.length > 0 && !hasDefect("acceptedInvalid")) return errorReply(400, "The query is invalid.");
    const listForeignBoxes = () => [...boxesByOrganization].filter(([name]) => name !== organization).flatMap(([, boxesById]) => [...boxesById.values()]);
    if (boxId !== undefined) return handleBox(method, boxId, ownBoxes, listForeignBoxes(), headers);
    if (method === "POST") return createBox(bodyText, ownBoxes, listForeignBoxes(), headers, organization);
    if (search?.includes("page=") && hasDefect("refusedValid")) return errorReply(400, "The page is invalid.", {}, [{ path: "page", code: "type" }]);
    const listed = hasDefect("foreignDataExposed") ? [...ownBoxes.values(), ...listForeignBoxes()] : [...ownBoxes.values()];
    return [200, { boxes: listed.slice(-20), total: ownBoxes.size, ...(hasDefect("schemaMismatch") && { secret: 1 }) }];
  };

  function handleBox(method: string, id: string, ownBoxes: Map<string, Box>, foreignBoxes: Box[], headers: IncomingMessage["headers"]): Reply {
    if (!UUID.test(decodeURIComponent(id))) return errorReply(400, "The id is not a UUID.");
    const foreign = foreignBoxes.find((each) => each.id === id);
    if (foreign && hasDefect("foreignIdDistinguished")) return errorReply(403, "The box belongs to another organization.");
    const box = ownBoxes.get(id) ?? (hasDefect("foreignIdAccepted") ? foreign : undefined);
    if (!box || (hasDefect("notReadableAfterCreate") && method === "GET")) return errorReply(404, "The box does not exist.");
    const deprecationHeaders = { Deprecation: "@1", Sunset: "Thu, 01 Jan 2032 00:00:00 GMT" };
    if (method === "GET") return [200, { box }, deprecationHeaders];
    if (headers["if-match"] && !hasDefect("versionIgnored")) return errorReply(412, "The box has another version.");
    if (!hasDefect("usableAfterDelete")) ownBoxes.delete(id);
    return [200, { box }];
  }

  function createBox(bodyText: string, ownBoxes: Map<string, Box>, foreignBoxes: Box[], headers: IncomingMessage["headers"], organization: string): Reply {
    let body: Partial<Box>;
    try {
      body = JSON.parse(bodyText) as Partial<Box>;
    } catch {
      return errorReply(400, "The body is not JSON.");
    }
    const isObject = typeof body === "object" && body !== null && !Array.isArray(body) && /^application\/json$/.test(headers["content-type"] ?? "");
    const isValid =
      isObject &&
      Object.keys(body).every((name) => name === "label" || name === "boxId") &&
      typeof body.label === "string" &&
      /^.{1,40}$/su.test(body.label) &&
      (body.boxId === undefined || body.boxId === null || (typeof body.boxId === "string" && UUID.test(body.boxId))) &&
      !headers["content-encoding"] &&
      (headers["idempotency-key"]?.length ?? 0) <= 255;
    const box = { id: randomUUID(), label: body?.label ?? "", boxId: body?.boxId ?? null };
    if (!isValid) {
      if (hasDefect("refusalHadEffect")) ownBoxes.set(box.id, box);
      return errorReply(400, "The body is invalid.");
    }
    if (hasDefect("serverError") && box.label.length > 20) return [500, { message: "Internal error." }];
    if (hasDefect("undocumentedStatus") && box.boxId) return [201, { box }];
    if (box.boxId && !ownBoxes.has(box.boxId) && !(hasDefect("foreignIdAccepted") && foreignBoxes.length > 0))
      return errorReply(400, "The containing box does not exist.", {}, [{ path: "boxId", code: "not_found" }]);
    const key = headers["idempotency-key"] && `${organization} ${String(headers["idempotency-key"])}`;
    const bodyHash = createHash("sha256").update(bodyText).digest("hex");
    const stored = key ? storedReplies.get(key) : undefined;
    if (stored && stored.bodyHash === bodyHash && !hasDefect("replayDiffers")) return [200, stored.response, { "Idempotent-Replayed": "true" }];
    if (stored && stored.bodyHash !== bodyHash && !hasDefect("keyReuseAccepted")) return errorReply(409, "Another request used this idempotency key.");
    ownBoxes.set(box.id, box);
    if (key) storedReplies.set(key, { bodyHash, response: { box } });
    return [200, { box }];
  }
}

/** Starts the test API with one defect or none. */
export async function startTestServer(defect?: Defect): Promise<{ baseUrl: string; close: () => void }> {
  const handle = createHandler(defect);
  const reply = (req: IncomingMessage, res: ServerResponse, bodyText: string) => {
    const [status, body, headers = {}] = handle(req.method!, req.url!, req.headers, bodyText);
    res.writeHead(status, {
      "Content-Type": defect === "undocumentedContentType" ? "text/plain" : "application/json",
      "X-Request-Id": defect === "requestIdNotEchoed" ? randomUUID() : req.headers["x-request-id"],
      "X-Content-Type-Options": "nosniff",
      ...(defect !== "insecureHeaders" && { "Cache-Control": "no-store" }),
      ...headers,
    });
    res.end(JSON.stringify(body));
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const bytes = Buffer.concat(chunks);
      try {
        reply(req, res, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
      } catch {
        // Not JSON, therefore refused as an invalid body.
        reply(req, res, "not UTF-8");
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
