import { createHash, randomBytes, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { describe, expect, test } from "@jest/globals";
import type { Client, Request as OperationRequest } from "../../../../test/support/client.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { createFixtures } from "../../../../test/support/world.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { findLogLines, logLevels } from "../../../../test/support/running.ts";
import { findOutboxEvents } from "../../test/database.ts";
import { aGif, aPdf, aPng, aWordFile, aZip, findStoredFiles, findIncomingFiles } from "../../test/files.ts";
import { aDraftLease, anInspection, anOwner, createLeaseReferences, aProperty, aVendor, unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const references = await createLeaseReferences(office);
const [word, zip] = await Promise.all([aWordFile("a.docx"), aZip("a.zip", { "a.txt": "Text" })]);
const entity = { entityType: "property" as const, entityId: references.propertyId };

type UploadFields = Partial<NonNullable<OperationRequest<"uploadDocument">["body"]>>;
const upload = (fields: UploadFields = {}, client: Client = office) => client.attempt("uploadDocument", { body: { file: aPdf(), ...entity, ...fields } });
const uploadedDocument = async (fields: UploadFields = {}, client: Client = office) =>
  (await client.call("uploadDocument", { body: { file: aPdf(), ...entity, ...fields } })).document;

describe("uploadDocument", () => {
  test("accepts files for the records of other services, and no unknown or foreign ones", async () => {
    const [own, foreign] = await Promise.all([createFixtures(office), createFixtures(otherOffice)]);
    const records = { expense: own.expense, owner_statement: own.ownerStatement, reconciliation: own.reconciliation, conversation: own.conversation };
    for (const [entityType, entityId] of Object.entries(records)) {
      const fields = { entityType: entityType as "expense", entityId };
      expect(await uploadedDocument(fields)).toMatchObject(fields);
      for (const wrongId of [unknownId(), foreign[entityType === "owner_statement" ? "ownerStatement" : (entityType as "expense")]])
        expect((await upload({ ...fields, entityId: wrongId })).body.errors).toMatchObject([{ path: "entityId", code: "not_found" }]);
    }
  });

  test("stores the file unchanged and returns its metadata", async () => {
    const file = aPdf("Lease 2026.pdf");
    const bytes = Buffer.from(await file.arrayBuffer());
    const document = await uploadedDocument({ file, category: "lease", visibility: "tenant_shared", title: "The lease" });
    expect(document).toMatchObject({
      ...entity,
      organizationId: office.organizationId,
      title: "The lease",
      fileName: "Lease 2026.pdf",
      contentType: "application/pdf",
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      category: "lease",
      visibility: "tenant_shared",
      version: 1,
      uploadedByUserId: office.userId,
      deletedAt: null,
    });
    const download = await office.raw("GET", `/api/documents/${document.id}/download`);
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
    expect(await findOutboxEvents(office, document.id)).toMatchObject([{ type: "document.created", data: entity }]);
  });

  test("defaults to visibility organization_only, category other and the file name as title, and truncates long names", async () => {
    expect(await uploadedDocument({ file: aPdf("Plan.pdf") })).toMatchObject({ title: "Plan.pdf", category: "other", visibility: "organization_only" });
    const longNamed = await uploadedDocument({ file: aPdf(`${"x".repeat(300)}.pdf`) });
    expect([longNamed.title.length, longNamed.fileName.length, longNamed.fileName.slice(-5)]).toEqual([160, 200, "x.pdf"]);
  });

  test("accepts files for every entity type, also from staff", async () => {
    const staff = await office.colleague("staff");
    const [owner, lease, vendor] = await Promise.all([anOwner(office), aDraftLease(office, references), aVendor(office)]);
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: references.propertyId, title: "Paint the hall" } });
    const entities = { unit: references.unitId, tenant: references.tenantId, owner: owner.id, lease: lease.id, vendor: vendor.id, work_order: workOrder.id };
    const inspection = await anInspection(office, { propertyId: references.propertyId });
    const { payment } = await office.call("recordPayment", { body: aPayment(await aTenancy(office), 1_000) });
    for (const [entityType, entityId] of Object.entries({ ...entities, inspection: inspection.id, payment: payment.id, organization: office.organizationId }))
      expect(await uploadedDocument({ entityType: entityType as "unit", entityId }, staff)).toMatchObject({
        entityType,
        entityId,
        uploadedByUserId: staff.userId,
      });
  });

  test.each([
    ["with the id of a property as unit", { entityType: "unit" }, "entityId", "not_found"],
    ["of an unknown entity", { entityId: unknownId() }, "entityId", "not_found"],
    ["of another organization", { entityType: "organization", entityId: otherOffice.organizationId }, "entityId", "not_found"],
    ["of an unknown payment", { entityType: "payment" }, "entityId", "not_found"],
    ["of an unknown inspection", { entityType: "inspection" }, "entityId", "not_found"],
    ["with an unknown entityType", { entityType: "planet" }, "entityType", "enum"],
    ["with an invalid entityId", { entityId: "7" }, "entityId", "format"],
    ["with an unknown category", { category: "poem" }, "category", "enum"],
    ["with an unknown visibility", { visibility: "public" }, "visibility", "enum"],
    ["with an empty title", { title: "  " }, "title", "too_short"],
    ["with a title of 161 characters", { title: "x".repeat(161) }, "title", "too_long"],
    ["with unknown members", { status: "final" }, "status", "unrecognized_key"],
  ])("rejects a file %s and stores nothing", async (_, fields, path, code) => {
    const storedFiles = await findStoredFiles(office.organizationId);
    const { status, body } = await upload(fields as UploadFields);
    expect([status, body.code, body.errors]).toMatchObject([400, "validation_failed", [{ path, code }]]);
    expect(await findStoredFiles(office.organizationId)).toEqual(storedFiles);
  });

  test("rejects a form without a file, with text as file, and with repeated members", async () => {
    const send = async (...parts: [string, string | File][]) => {
      const form = new FormData();
      for (const [name, value] of [...Object.entries(entity), ...parts] as [string, string][]) form.append(name, value);
      const response = await office.raw("POST", "/api/documents", form);
      return [response.status, (await response.json()) as object];
    };
    expect(await send()).toMatchObject([400, { errors: [{ path: "file", code: "required" }] }]);
    expect(await send(["file", "a text"])).toMatchObject([400, { errors: [{ path: "file", code: "type" }] }]);
    expect(await send(["file", aPdf()], ["entityType", "unit"])).toMatchObject([400, { errors: [{ path: "entityType", code: "unique" }] }]);
    expect(await send(["file", aPdf()], ["file", aPdf()])).toMatchObject([400, { code: "malformed_json" }]);
    expect(await send(["file", aPdf()], ["title", "x".repeat(17_000)])).toMatchObject([400, { code: "payload_too_large" }]);
  });

  test.each([
    ["no form", "application/json", "{}"],
    ["a form without a boundary", "multipart/form-data", "--x\r\n"],
    ["a form that does not end", "multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText'],
    ["a form that never begins", "multipart/form-data; boundary=x", "Text"],
    ["an empty body", "multipart/form-data; boundary=x", ""],
  ])("rejects %s", async (_, type, body) => {
    const response = await office.raw("POST", "/api/documents", body, { "Content-Type": type });
    expect([response.status, await response.json()]).toMatchObject([400, { code: "malformed_json" }]);
  });

  test.each([
    ["PNG", aPng("a.png"), "image/png", "a.png"],
    ["GIF", aGif("a.gif"), "image/gif", "a.gif"],
    ["JPEG", new File([Buffer.from("ffd8ffe000104a46494600010100000100010000ffd9", "hex")], "a.jpeg"), "image/jpeg", "a.jpeg"],
    ["WebP", new File([Buffer.from("52494646240000005745425056503820", "hex"), randomBytes(24)], "a.webp"), "image/webp", "a.webp"],
    ["Word", word, "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "a.docx"],
    ["text", new File(["Grüße\n"], "a.md"), "text/plain", "a.md"],
    ["CSV", new File(["a,b\n1,2\n"], "a.csv"), "text/csv", "a.csv"],
    ["an image named like an HTML page", aPng("a.html"), "image/png", "a.html.png"],
    ["a PDF named like an executable", aPdf("a.pdf.exe"), "application/pdf", "a.pdf.exe.pdf"],
    ["a file without a name", aPdf(""), "application/pdf", "document.pdf"],
  ])("accepts %s and detects its type", async (_, file, contentType, fileName) => {
    expect(await uploadedDocument({ file })).toMatchObject({ contentType, fileName });
  });

  const html = "<!DOCTYPE html><script>alert(1)</script>";
  test.each([
    ["an HTML page", html],
    ["an HTML page after white space", `\n\n   ${html}`],
    ["an HTML page in UTF-16", Buffer.from(`\uFEFF${html}`, "utf16le")],
    ["an SVG with a script", '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ["XML", '<?xml version="1.0"?><a/>'],
    ["an HTML page before a PDF header", `${html}%PDF-1.7\n`],
    ["an HTML page after a PDF header", `%PDF-1.7\n${html}`],
    ["an HTML page after a GIF header", `GIF89a/*${html}*/`],
    ["a ZIP", zip],
    ["an executable", Buffer.concat([Buffer.from("7f454c4602010100", "hex"), Buffer.alloc(64)])],
    ["binary data", Buffer.from([1, 2, 3, 0xff, 0xfe])],
    ["text that is not UTF-8", Buffer.from("Gr\xfc\xdfe", "latin1")],
    ["text with a truncated character", Buffer.from("Gr\u00fc").subarray(0, 3)],
    ["an empty file", ""],
  ])("rejects %s under any name", async (_, content) => {
    const storedFiles = await findStoredFiles(office.organizationId);
    for (const name of ["a.pdf", "a.txt", "a.png"]) {
      const { status, body } = await upload({
        file: new File([content instanceof File ? await content.arrayBuffer() : content], name, { type: "application/pdf" }),
      });
      expect([name, status, body.code]).toEqual([name, 400, "unsupported_file"]);
    }
    expect(await findStoredFiles(office.organizationId)).toEqual(storedFiles);
  });

  test.each([
    ["../../etc/passwd", "passwd.pdf"],
    ["..\\..\\boot.pdf", "boot.pdf"],
    ["/absolute/path.pdf", "path.pdf"],
    ["....//....//a.pdf", "a.pdf"],
    ["..", "document.pdf"],
    ["a\u202efdp.exe", "afdp.exe.pdf"],
    ['q"u<o>t|e:s?*.pdf', "quotes.pdf"],
    [".hidden.pdf", "hidden.pdf"],
    ["Grüße 你好 🏠.pdf", "Grüße 你好 🏠.pdf"],
    ["%2e%2e%2fa.pdf", "%2e%2e%2fa.pdf"],
    ["A.PDF", "A.PDF"],
  ])("sanitizes the name %s to %s", async (name, sanitizedName) => {
    expect((await uploadedDocument({ file: aPdf(name) })).fileName).toBe(sanitizedName);
  });

  test("stores files under generated ids only", async () => {
    const newOffice = await anOffice();
    const property = await aProperty(newOffice);
    const { id } = await uploadedDocument({ entityId: property.id, file: aPdf("../../../../tmp/a.pdf") }, newOffice);
    expect(await findStoredFiles(newOffice.organizationId)).toEqual([id]);
  });

  test("accepts a file of 25 MiB and rejects larger ones, with and without Content-Length", async () => {
    const limitBytes = 25 * 1024 * 1024;
    const aFileOf = (sizeBytes: number) => new File([Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(sizeBytes - 9, "x")])], "big.pdf");
    expect(await uploadedDocument({ file: aFileOf(limitBytes) })).toMatchObject({ sizeBytes: limitBytes });
    const storedFiles = await findStoredFiles(office.organizationId);
    for (const sizeBytes of [limitBytes + 1, 2 * limitBytes]) {
      const { status, body } = await upload({ file: aFileOf(sizeBytes) });
      expect([status, body]).toEqual([400, { code: "file_too_large", message: "The file is larger than 25 MiB. Send a smaller one." }]);
    }
    const chunkedResponse = await uploadChunked(aFileOf(2 * limitBytes));
    expect([chunkedResponse.status, await chunkedResponse.json()]).toMatchObject([400, { code: "file_too_large" }]);
    expect(await findStoredFiles(office.organizationId)).toEqual(storedFiles);
  });

  test("rejects a form truncated at any position", async () => {
    const body = `--x\r\nContent-Disposition: form-data; name="entityType"\r\n\r\nproperty\r\n--x\r\nContent-Disposition: form-data; name="entityId"\r\n\r\n${references.propertyId}\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nText\r\n--x--`;
    const send = (text: string) => office.raw("POST", "/api/documents", text, { "Content-Type": "multipart/form-data; boundary=x" });
    expect((await send(body)).status).toBe(200);
    const storedFiles = await findStoredFiles(office.organizationId);
    for (let length = 1; length < body.length; length += 3) expect([length, (await send(body.slice(0, length))).status]).toEqual([length, 400]);
    expect([await findStoredFiles(office.organizationId), (await upload()).status]).toEqual([storedFiles, 200]);
  });

  test("is idempotent under the same Idempotency-Key, and rejects another file", async () => {
    const newOffice = await anOffice();
    const property = await aProperty(newOffice);
    const file = aPdf();
    const send = (sentFile: File) =>
      newOffice.attempt("uploadDocument", { body: { ...entity, file: sentFile, entityId: property.id }, headers: { "Idempotency-Key": "lease-1" } });
    const responses = await Promise.all([send(file), send(file), send(file)]);
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.document.id}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(2);
    const other = await send(aPdf());
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
    expect(await findStoredFiles(newOffice.organizationId)).toEqual([responses[0]!.body.document.id]);
  });

  test("leaves no file and no row after a disconnect", async () => {
    const newOffice = await anOffice();
    const property = await aProperty(newOffice);
    const { hostname, port } = new URL(running().baseUrl);
    const socket = connect(Number(port), hostname);
    const marker = randomUUID();
    const head = `--x\r\nContent-Disposition: form-data; name="entityType"\r\n\r\nproperty\r\n--x\r\nContent-Disposition: form-data; name="entityId"\r\n\r\n${property.id}\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n${marker}`;
    socket.write(
      `POST /api/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${newOffice.token}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000000\r\n\r\n${head}`,
    );
    socket.write(Buffer.alloc(1_000_000, "x"));
    await eventually("incoming file", async () => (await findIncomingFiles(marker)).length > 0);
    socket.destroy();
    await eventually("removal of the incoming file", async () => (await findIncomingFiles(marker)).length === 0);
    expect([await findStoredFiles(newOffice.organizationId), (await newOffice.call("listDocuments")).total]).toEqual([[], 0]);
  });

  test.each(["portfolio", "gateway"])("is logged by %s with status 499 and without an error after a disconnect", async (process) => {
    const newOffice = await anOffice();
    const { hostname, port } = new URL(running().baseUrl);
    const socket = connect(Number(port), hostname);
    const marker = randomUUID();
    socket.write(
      `POST /api/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${newOffice.token}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000000\r\n\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n${marker}`,
    );
    socket.write(Buffer.alloc(1_000_000, "x"));
    await eventually("incoming file", async () => (await findIncomingFiles(marker)).length > 0);
    socket.destroy();
    const line = await eventually("log line of the upload", () =>
      findLogLines(process, newOffice.organizationId).find(({ operation }) => operation === "uploadDocument"),
    );
    expect(line).toMatchObject({ level: logLevels.info, status: 499 });
    expect(findLogLines(process, line.requestId!).filter(({ level }) => level >= logLevels.error)).toEqual([]);
  });
});

/** Uploads a file in chunks, without Content-Length. */
function uploadChunked(file: File): Promise<Response> {
  const form = new FormData();
  form.append("file", file);
  const { body, headers } = new Request("http://localhost", { method: "POST", body: form });
  return fetch(`${running().baseUrl}/api/documents`, {
    method: "POST",
    duplex: "half",
    headers: { Authorization: `Bearer ${office.token}`, "Content-Type": headers.get("content-type")! },
    body: body!,
  });
}
