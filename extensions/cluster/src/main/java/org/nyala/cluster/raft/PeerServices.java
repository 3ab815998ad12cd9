package org.nyala.cluster.raft;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * The services of a member by kind, and the frames of requests and answers. Immutable.
 *
 * <p>A request is the byte of its kind and its bytes. An answer is a byte, 0 for bytes that follow,
 * or 1 for a sentence in UTF-8 that says why there is none. Ratis carries both as the message of a
 * stale read, which it neither logs nor interprets.
 *
 * @param byKind the services
 */
record PeerServices(Map<PeerRequestKind, PeerService> byKind) {
  private static final byte ANSWERED = 0;
  private static final byte REFUSED = 1;

  /** The longest sentence of a refusal. */
  private static final int MOST_REASON_CHARACTERS = 1_000;

  PeerServices {
    byKind = Map.copyOf(byKind);
  }

  /** Returns the frame of a request; the bytes are copied. */
  static ByteString request(PeerRequestKind kind, ByteBuffer request) {
    ByteBuffer frame = ByteBuffer.allocate(1 + request.remaining());
    frame.put(kind.code()).put(request.duplicate()).flip();
    return UnsafeByteOperations.unsafeWrap(frame);
  }

  /** Answers a frame; the future never fails. */
  CompletableFuture<Message> answer(ByteString frame) {
    CompletionStage<ByteBuffer> answer;
    try {
      answer = service(frame).answer(frame.substring(1).asReadOnlyByteBuffer());
    } catch (RaftException | RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer
        .handle((bytes, e) -> e == null ? answered(bytes) : refused(e))
        .toCompletableFuture();
  }

  private PeerService service(ByteString frame) throws RaftException {
    if (frame.isEmpty() || frame.size() - 1 > PeerCalls.MOST_REQUEST_BYTES) {
      throw new RaftException(
          "A request between members has 1 to "
              + PeerCalls.MOST_REQUEST_BYTES
              + " bytes; found "
              + frame.size()
              + ".");
    }
    PeerRequestKind kind = PeerRequestKind.of(frame.byteAt(0));
    PeerService service = kind == null ? null : byKind.get(kind);
    if (service == null) {
      throw new RaftException(
          "The member does not answer requests of kind " + frame.byteAt(0) + ".");
    }
    return service;
  }

  private static Message answered(ByteBuffer bytes) {
    ByteBuffer frame = ByteBuffer.allocate(1 + bytes.remaining());
    frame.put(ANSWERED).put(bytes.duplicate()).flip();
    return Message.valueOf(UnsafeByteOperations.unsafeWrap(frame));
  }

  private static Message refused(Throwable e) {
    Throwable cause = e;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String reason = String.valueOf(cause.getMessage());
    String told = reason.substring(0, Math.min(reason.length(), MOST_REASON_CHARACTERS));
    return Message.valueOf(
        ByteString.copyFrom(new byte[] {REFUSED}).concat(ByteString.copyFrom(told, UTF_8)));
  }

  /**
   * Returns the bytes of an answer; fails by a {@link RaftException} with the sentence of the other
   * side, if it refused the request.
   */
  static CompletableFuture<ByteBuffer> opened(Message answer) {
    ByteString frame = answer.getContent();
    if (frame.isEmpty() || frame.byteAt(0) != ANSWERED) {
      return CompletableFuture.failedFuture(
          new RaftException(
              frame.isEmpty()
                  ? "The answer of the member is empty."
                  : frame.substring(1).toString(UTF_8)));
    }
    return CompletableFuture.completedFuture(frame.substring(1).asReadOnlyByteBuffer());
  }
}
