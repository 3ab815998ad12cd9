package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;

/**
 * Turns one framed LDAPMessage into a {@link Request}.
 *
 * <p>Confined to one thread at a time; keeps nothing from one message to the next. Hot.
 */
public final class RequestDecoder {
  /**
   * Larger messages get memory of their own, so that the memory of one of them is not kept for
   * ever.
   */
  private static final int SCRATCH_BYTES = 64 * 1024;

  private final Envelope envelope;
  private final OperationReader reader;
  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private @Nullable MalformedRequest problem;

  RequestDecoder(Envelope envelope, OperationReader reader) {
    this.envelope = envelope;
    this.reader = reader;
  }

  /** Returns a decoder that reads everything straight from the bytes. */
  public static RequestDecoder direct(ServerLimits limits) {
    Envelope envelope = new Envelope(limits);
    return new RequestDecoder(envelope, new DirectReader(envelope.reader(), limits));
  }

  /**
   * Returns a decoder that reads operations with the Apache codec where that understands them.
   *
   * @param maximumPduBytes the length of the longest message
   */
  public static RequestDecoder apache(ServerLimits limits, int maximumPduBytes) {
    Envelope envelope = new Envelope(limits);
    return new RequestDecoder(
        envelope, new ApacheReader(envelope.reader(), limits, maximumPduBytes));
  }

  /**
   * Decodes the message in {@code length} bytes from {@code index}; null if it is malformed, and
   * then {@link #problem()} returns the fault.
   *
   * @param elements the elements that memory was taken for: the message and the opaque values in it
   *     have no more
   */
  public @Nullable Request decode(ByteBuf source, int index, int length, int elements) {
    byte[] bytes = length <= SCRATCH_BYTES ? scratch : new byte[length];
    source.getBytes(index, bytes, 0, length);
    try {
      envelope.read(bytes, length, elements);
      envelope.moveToOperation();
      Request request = reader.read(envelope);
      envelope.settle();
      return request;
    } catch (InvalidBerException e) {
      problem = MalformedRequest.of(envelope.messageId(), envelope.tag(), e);
    } catch (RuntimeException | StackOverflowError e) {
      // A reader that fails on a request has not understood it, whatever the failure.
      LdapResult result = LdapResult.of(ResultCode.PROTOCOL_ERROR, "malformed request");
      problem = new MalformedRequest(envelope.messageId(), envelope.tag(), true, result);
    } finally {
      envelope.release();
    }
    return null;
  }

  /** Returns the fault of the message that was decoded last. */
  public MalformedRequest problem() {
    MalformedRequest known = problem;
    if (known == null) {
      throw new IllegalStateException("nothing was malformed");
    }
    problem = null;
    return known;
  }
}
