/** Files of received messages: stored once, read by the office and the participant, and named when they are refused. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { anEmail, anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { testClients } from "../../../test/clients.ts";
import { database as definition } from "../../database.ts";
import { receiveMessage, type ReceivedMessage } from "../receive-message.ts";
import type { MediaFetcher } from "./fetch-media.ts";
import type { InboundFile } from "./inbound-file.rules.ts";
import { receiveFiles } from "./receive-files.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const clients = testClients();
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
});
afterAll(() => database.close());

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const fetchNothing: MediaFetcher = () => Promise.reject(new Error("No picture is expected."));

const aSender = async (office: Office) => (await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail() } })).tenant;

async function aMessage(office: Office, message: Partial<ReceivedMessage> = {}, sender?: Awaited<ReturnType<typeof aSender>>) {
  const tenant = sender ?? (await aSender(office));
  const db = new OrgDb(database, systemPrincipal(office.organizationId));
  const id = newId();
  const received: ReceivedMessage = {
    id,
    channel: "email",
    from: tenant.email!,
    to: [],
    subject: null,
    body: "See the files.",
    externalId: newId(),
    metadata: { pendingAttachments: 1 },
    ...message,
  };
  const receipt = await receiveMessage(db, clients, received);
  if (receipt.status !== "received") throw new Error(`The message was ${receipt.status}.`);
  const params = { id: receipt.conversationId };
  return {
    id,
    tenantId: tenant.id,
    conversationId: receipt.conversationId,
    receive: (files: InboundFile[], fetchMedia = fetchNothing) => receiveFiles(db, { clients, fetchMedia }, id, files, () => Promise.resolve()),
    read: async () => (await office.call("getConversation", { params })).messages.at(-1)!,
    documents: async () => (await office.call("listDocuments", { query: { entityType: "conversation", entityId: params.id, sortDirection: "asc" } })).documents,
  };
}

describe("receiveFiles", () => {
  test("attaches the files to the message, for the office and the participant alone", async () => {
    const office = await anOffice();
    const message = await aMessage(office);
    const user = await office.tenantUser(message.tenantId);
    const { tenant: another } = await office.call("createTenant", { body: { fullName: "Ben Cole" } });
    const stranger = await office.tenantUser(another.id);
    await message.receive([
      { name: "leak.png", content: png },
      { name: "../../etc/passwd.exe", content: Buffer.from("Three rooms.\n") },
    ]);
    const { documentIds, metadata } = await message.read();
    expect(metadata).toEqual({});
    const documents = await message.documents();
    expect(documents.map(({ id }) => id).toSorted()).toEqual(documentIds.toSorted());
    expect(documents).toMatchObject([
      { fileName: "leak.png", contentType: "image/png", category: "photo", visibility: "tenant_shared", uploadedByUserId: null },
      { fileName: "passwd.exe.txt", contentType: "text/plain", category: "other" },
    ]);
    const portal = await user.call("getTenantConversation", { params: { id: message.conversationId } });
    expect(portal.messages.at(-1)!.documentIds).toEqual(documentIds);
    const statuses = async (reader: typeof user) =>
      Promise.all(documentIds.map(async (id) => (await reader.attempt("downloadDocument", { params: { id } })).status));
    expect([await statuses(user), await statuses(stranger)]).toEqual([
      [200, 200],
      [404, 404],
    ]);
  });

  test("stores a file once, also when attempts are repeated at the same time, and not again after its deletion", async () => {
    const office = await anOffice();
    const message = await aMessage(office);
    const files = [
      { name: "leak.png", content: png },
      { name: "plan.txt", content: Buffer.from("Three rooms.\n") },
    ];
    await Promise.all(Array.from({ length: 5 }, () => message.receive(files)));
    const [first, second] = await message.documents();
    expect([first, second, (await message.documents()).length]).toMatchObject([{ fileName: "leak.png" }, { fileName: "plan.txt" }, 2]);
    const storage = async () => (await office.call("getDocumentStorage")).storage.usedBytes;
    expect(await storage()).toBe(png.length + 13);
    expect((await office.attempt("downloadDocument", { params: { id: first!.id } })).text).toContain("PNG");
    await office.call("deleteDocument", { params: { id: first!.id } });
    await message.receive(files);
    expect((await message.documents()).map(({ id }) => id)).toEqual([second!.id]);
    expect(await storage()).toBe(13);
  });

  test("continues after a failure with the files that are missing", async () => {
    const office = await anOffice();
    const message = await aMessage(office);
    const files: InboundFile[] = [
      { name: "plan.txt", content: Buffer.from("Three rooms.\n") },
      { name: "picture-1", url: "https://provider.example/1" },
    ];
    await expect(message.receive(files)).rejects.toThrow("No picture");
    expect(await message.read()).toMatchObject({ documentIds: [], metadata: { pendingAttachments: 1 } });
    await message.receive(files, () => Promise.resolve({ content: png }));
    const { documentIds, metadata } = await message.read();
    expect([documentIds.length, metadata]).toEqual([2, {}]);
    expect((await message.documents()).map(({ fileName }) => fileName)).toEqual(["plan.txt", "picture-1.png"]);
  });

  test("names the files that are refused, with the reason", async () => {
    const office = await anOffice();
    const message = await aMessage(office);
    await message.receive(
      [
        { name: "photo.png", content: Buffer.from("<html><script>x()</script></html>") },
        { name: "photo.jpg", content: Buffer.from("MZ\u0090\u0000\u0003\u0000", "latin1") },
        { name: "empty.txt", content: Buffer.alloc(0) },
        { name: "many.png", dropped: "too_many" },
        { name: "picture-1", url: "https://elsewhere.example/1" },
        { name: "leak.png", content: png },
      ],
      () => Promise.resolve({ dropped: "not_available" }),
    );
    const { documentIds, metadata } = await message.read();
    expect(documentIds).toHaveLength(1);
    expect(metadata).toEqual({
      droppedAttachments: [
        { name: "photo.png", reason: "unsupported_file" },
        { name: "photo.jpg", reason: "unsupported_file" },
        { name: "empty.txt", reason: "unsupported_file" },
        { name: "many.png", reason: "too_many" },
        { name: "picture-1", reason: "not_available" },
      ],
    });
  });

  test("keeps the files of a message without the participant's name to the office, and counts them for the conversation alone", async () => {
    const office = await anOffice();
    for (const received of [{ isUnverified: true }, { from: anEmail() }]) {
      const sender = await aSender(office);
      const first = await aMessage(office, {}, sender);
      const answer = () => aMessage(office, { ...received, conversationIds: [first.conversationId] }, sender);
      const user = await office.tenantUser(first.tenantId);
      const upload = (index: number) =>
        user.attempt("uploadTenantConversationDocument", { params: { id: first.conversationId }, body: { file: new File([png], `${index}.png`) } });
      const forged = await answer();
      await forged.receive(Array.from({ length: 10 }, (_, file) => ({ name: `bank-${file}.png`, content: png })));
      const documents = await forged.documents();
      expect([documents.length, ...new Set(documents.map(({ visibility }) => visibility))]).toEqual([10, "organization_only"]);
      expect((await forged.read()).senderId).toBeNull();
      expect((await user.attempt("getDocument", { params: { id: documents[0]!.id } })).status).toBe(404);
      expect((await user.call("listTenantPortalDocuments", { query: {} })).documents).toEqual([]);
      for (let times = 0; times < 4; times++) await (await answer()).receive(Array.from({ length: 10 }, (_, file) => ({ name: `${file}.png`, content: png })));
      const last = await answer();
      await last.receive([{ name: "more.png", content: png }]);
      expect((await last.read()).metadata).toMatchObject({ droppedAttachments: [{ name: "more.png", reason: "upload_limit" }] });
      expect((await upload(1)).status).toBe(200);
    }
  });

  test("refuses the files above the limits of a sender", async () => {
    const office = await anOffice();
    const message = await aMessage(office);
    for (let index = 0; index < 5; index++) await message.receive(Array.from({ length: 10 }, (_, file) => ({ name: `${file}.png`, content: png })));
    expect(await message.documents()).toHaveLength(10);
    const sender = await office.tenantUser(message.tenantId);
    for (let index = 0; index < 40; index++)
      await sender.call("uploadTenantConversationDocument", { params: { id: message.conversationId }, body: { file: new File([png], `${index}.png`) } });
    await message.receive([...Array.from({ length: 10 }, (_, file) => ({ name: `${file}.png`, content: png })), { name: "more.png", content: png }]);
    expect((await message.read()).metadata).toMatchObject({ droppedAttachments: [{ name: "more.png", reason: "upload_limit" }] });
  });
});
