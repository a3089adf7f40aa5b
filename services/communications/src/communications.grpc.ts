/** The question that other services ask communications. */
import { grpcService } from "@freehold/kit/rpc/grpc";
import { CommunicationsServiceService, type CommunicationsServiceServer } from "@freehold/proto/communications/v1/communications";
import { sendMessages, type MessageTransports } from "./messages/messages.ts";

export const communicationsService = (postOffice: MessageTransports) =>
  grpcService<CommunicationsServiceServer>(CommunicationsServiceService, {
    sendMessages: async ({ messages }, db) => ({ deliveries: await sendMessages(db, postOffice, messages) }),
  });
