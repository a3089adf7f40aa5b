/** gRPC service of communications, called by the other services. */
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import { grpcService } from "@freehold/kit/rpc/grpc";
import { CommunicationsServiceService, type CommunicationsServiceServer } from "@freehold/proto/communications/v1/communications";
import { findConversationIds } from "./conversations/conversation.queries.ts";
import { findOptOuts } from "./recipients/opt-outs.ts";
import { sendMessages, type MessageDependencies } from "./messages/messages.ts";

export const communicationsService = (dependencies: MessageDependencies) =>
  grpcService<CommunicationsServiceServer>(CommunicationsServiceService, ["identity", "portfolio", "ledger"], {
    findOptOuts: async (request, db) => ({ optOuts: await findOptOuts(withOfficeReach(db), request) }),
    findConversations: async ({ ids }, db) => findConversationIds(db, ids),
    sendMessages: async ({ messages, queueOnly }, db) => ({ deliveries: await sendMessages(db, dependencies, messages, { queueOnly }) }),
  });
