import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";

describe("sendConversationMessage", () => {
  test.each(["tenant", "vendor"] as const)(
    "attaches documents of the conversation that are shared with the participant, a %s, who reads them",
    async (type) => {
      const office = await anOffice();
      const participantId =
        type === "tenant"
          ? (await office.call("createTenant", { body: { fullName: "Ana Ruiz" } })).tenant.id
          : (await office.call("createVendor", { body: { name: "Elm Plumbing" } })).vendor.id;
      const user = type === "tenant" ? await office.tenantUser(participantId) : await office.vendorUser(participantId);
      const { conversation } = await office.call("createConversation", { body: { participantType: type, participantId } });
      const upload = async (visibility: "tenant_shared" | "vendor_shared" | "organization_only") => {
        const file = new File(["Three rooms.\n"], "plan.txt");
        return (await office.call("uploadDocument", { body: { file, entityType: "conversation", entityId: conversation.id, visibility } })).document.id;
      };
      const [shared, internal, other] = [
        await upload(`${type}_shared`),
        await upload("organization_only"),
        await upload(type === "tenant" ? "vendor_shared" : "tenant_shared"),
      ];
      const { message } = await office.call("sendConversationMessage", {
        params: { id: conversation.id },
        body: { body: "See the plan.", channel: "in_app", documentIds: [shared] },
      });
      expect(message.documentIds).toEqual([shared]);
      expect((await user.call("getDocument", { params: { id: shared } })).document.id).toBe(shared);
      for (const id of [internal, other]) expect((await user.attempt("getDocument", { params: { id } })).status).toBe(404);
    },
  );
});
