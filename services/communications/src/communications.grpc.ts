/** gRPC service of communications, called by the other services. */
import { grpcService } from "@freehold/kit/rpc/grpc";
import { CommunicationsServiceService, type CommunicationsServiceServer } from "@freehold/proto/communications/v1/communications";
import { findConversationIds } from "./conversations/conversation.queries.ts";
import { sendMessages, type MessageDependencies } from "./messages/messages.ts";

export const communicationsService = (dependencies: MessageDependencies) =>
  grpcService<CommunicationsServiceServer>(CommunicationsServiceService, ["identity", "portfolio", "ledger"], {
    findConversations: async ({ ids }, db) => findConversationIds(db, ids),
    sendMessages: async ({ messages, queueOnly }, db) => ({ deliveries: await sendMessages(db, dependencies, messages, { queueOnly }) }),
  });
