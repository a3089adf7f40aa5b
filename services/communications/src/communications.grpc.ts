/** The question that other services ask communications. */
import { grpcService } from "@freehold/kit/rpc/grpc";
import { CommunicationsServiceService, type CommunicationsServiceServer } from "@freehold/proto/communications/v1/communications";
import { sendMessages, type PostOffice } from "./messages/messages.ts";

export const communicationsGrpc = (postOffice: PostOffice) =>
  grpcService<CommunicationsServiceServer>(CommunicationsServiceService, {
    sendMessages: async ({ messages }, db) => ({ deliveries: await sendMessages(db, postOffice, messages) }),
  });
