/** Small test API for the fuzzer itself: conforms to its OpenAPI document, or has exactly one defect that the fuzzer must report. */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { OpenApi, Schema } from "./document/document.ts";

/** Possible defects; the check of the same name must report each. */
export const defects = [
  "serverError",
  "undocumentedStatus",
  "undocumentedType",
  "otherThanDescribed",
  "requestId",
  "carelessHeaders",
  "missingAdvice",
  "acceptedInvalid",
  "refusedValid",
  "foreignData",
  "foreignAccepted",
  "foreignTold",
  "notThere",
  "usedAfterDelete",
  "leftSomething",
  "repeated",
  "keyReused",
  "roleIgnored",
  "tokenIgnored",
  "methodUnknown",
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
const refusals = Object.fromEntries([400, 401, 403, 404, 409, 412].map((status) => [status, json({ $ref: "#/components/schemas/Error" })]));
const describeOperation = (operationId: string, response: Schema) => ({
  operationId,
  description: "Roles: admin.",
  security: [{ bearer: [] }],
  responses: { 200: json(response), ...refusals },
});

/** OpenAPI document of the test API: boxes, which may contain boxes. */
export const boxes: OpenApi = {
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
type Outcome = [status: number, body: object, headers?: Record<string, string>];
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const errorResult = (status: number, message: string, headers: Record<string, string> = {}, errors: object[] = []): Outcome => [
  status,
  { message, errors },
  headers,
];

/** Creates the request handler. A token consists of an organization's name and a role. */
function createHandler(defect: Defect | undefined) {
  const all = new Map<string, Map<string, Box>>();
  const answered = new Map<string, { body: string; response: object }>();
  const has = (expected: Defect) => defect === expected;

  return (method: string, target: string, headers: IncomingMessage["headers"], text: string): Outcome => {
    const [path, search] = target.split("?");
    const [, place, boxId] = path!.split("/");
    const known = place === "boxes" ? (boxId === undefined ? ["GET", "POST"] : ["GET", "DELETE"]) : [];
    if (!known.includes(method)) return errorResult(has("methodUnknown") ? 404 : 405, "no", { Allow: known.join(", ") });
    const [organization, role] =
      /^Bearer (one|two)\.(admin|staff)$/.exec(headers.authorization ?? "")?.slice(1) ?? (has("tokenIgnored") ? ["anybody", "admin"] : []);
    if (!organization) return errorResult(401, "who?", has("missingAdvice") ? {} : { "WWW-Authenticate": "Bearer" });
    if (role !== "admin" && !has("roleIgnored")) return errorResult(403, "not you");
    const own = all.get(organization) ?? all.set(organization, new Map()).get(organization)!;
    const strange = [...new URLSearchParams(search)].filter(
      ([name, value]) => boxId !== undefined || method !== "GET" || name !== "page" || !/^[1-9]\d{0,2}$/.test(value),
    );
    if (strange.length > 0 && !has("acceptedInvalid")) return errorResult(400, "unknown");
    const others = () => [...all].filter(([name]) => name !== organization).flatMap(([, each]) => [...each.values()]);
    if (boxId !== undefined) return handleBox(method, boxId, own, others(), headers);
    if (method === "POST") return createBox(text, own, others(), headers, organization);
    if (search?.includes("page=") && has("refusedValid")) return errorResult(400, "no", {}, [{ path: "page", code: "type" }]);
    const listed = has("foreignData") ? [...own.values(), ...others()] : [...own.values()];
    return [200, { boxes: listed.slice(-20), total: own.size, ...(has("otherThanDescribed") && { secret: 1 }) }];
  };

  function handleBox(method: string, name: string, own: Map<string, Box>, others: Box[], headers: IncomingMessage["headers"]): Outcome {
    if (!UUID.test(decodeURIComponent(name))) return errorResult(400, "no uuid");
    const foreign = others.find((each) => each.id === name);
    if (foreign && has("foreignTold")) return errorResult(403, "not yours");
    const box = own.get(name) ?? (has("foreignAccepted") ? foreign : undefined);
    if (!box || (has("notThere") && method === "GET")) return errorResult(404, "none");
    const late = { Deprecation: "@1", Sunset: "Thu, 01 Jan 2032 00:00:00 GMT" };
    if (method === "GET") return [200, { box }, late];
    if (headers["if-match"] && !has("versionIgnored")) return errorResult(412, "changed");
    if (!has("usedAfterDelete")) own.delete(name);
    return [200, { box }];
  }

  function createBox(text: string, own: Map<string, Box>, others: Box[], headers: IncomingMessage["headers"], organization: string): Outcome {
    let body: Partial<Box>;
    try {
      body = JSON.parse(text) as Partial<Box>;
    } catch {
      return errorResult(400, "no JSON");
    }
    const isObject = typeof body === "object" && body !== null && !Array.isArray(body) && /^application\/json$/.test(headers["content-type"] ?? "");
    const isFine =
      isObject &&
      Object.keys(body).every((name) => name === "label" || name === "boxId") &&
      typeof body.label === "string" &&
      /^.{1,40}$/su.test(body.label) &&
      (body.boxId === undefined || body.boxId === null || (typeof body.boxId === "string" && UUID.test(body.boxId))) &&
      !headers["content-encoding"] &&
      (headers["idempotency-key"]?.length ?? 0) <= 255;
    const box = { id: randomUUID(), label: body?.label ?? "", boxId: body?.boxId ?? null };
    if (!isFine) {
      if (has("leftSomething")) own.set(box.id, box);
      return errorResult(400, "wrong");
    }
    if (has("serverError") && box.label.length > 20) return [500, { message: "oops" }];
    if (has("undocumentedStatus") && box.boxId) return [201, { box }];
    if (box.boxId && !own.has(box.boxId) && !(has("foreignAccepted") && others.length > 0))
      return errorResult(400, "none", {}, [{ path: "boxId", code: "not_found" }]);
    const key = headers["idempotency-key"] && `${organization} ${String(headers["idempotency-key"])}`;
    const print = createHash("sha256").update(text).digest("hex");
    const earlier = key ? answered.get(key) : undefined;
    if (earlier && earlier.body === print && !has("repeated")) return [200, earlier.response, { "Idempotent-Replayed": "true" }];
    if (earlier && earlier.body !== print && !has("keyReused")) return errorResult(409, "another");
    own.set(box.id, box);
    if (key) answered.set(key, { body: print, response: { box } });
    return [200, { box }];
  }
}

/** Starts the test API with one defect or none. */
export async function startTestServer(defect?: Defect): Promise<{ baseUrl: string; close: () => void }> {
  const handle = createHandler(defect);
  const reply = (req: IncomingMessage, res: ServerResponse, text: string) => {
    const [status, body, headers = {}] = handle(req.method!, req.url!, req.headers, text);
    res.writeHead(status, {
      "Content-Type": defect === "undocumentedType" ? "text/plain" : "application/json",
      "X-Request-Id": defect === "requestId" ? randomUUID() : req.headers["x-request-id"],
      "X-Content-Type-Options": "nosniff",
      ...(defect !== "carelessHeaders" && { "Cache-Control": "no-store" }),
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
        reply(req, res, "no text");
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
