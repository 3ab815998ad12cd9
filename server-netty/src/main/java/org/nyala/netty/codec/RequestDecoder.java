package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.directory.api.asn1.DecoderException;
import org.apache.directory.api.asn1.ber.Asn1Decoder;
import org.apache.directory.api.asn1.ber.tlv.TLVStateEnum;
import org.apache.directory.api.ldap.codec.api.LdapApiService;
import org.apache.directory.api.ldap.codec.api.LdapMessageContainer;
import org.apache.directory.api.ldap.codec.osgi.DefaultLdapCodecService;
import org.apache.directory.api.ldap.model.message.Message;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
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
    MalformedRequest known = Objects.requireNonNull(problem, "nothing was malformed");
    problem = null;
    return known;
  }

  /**
   * Reads operations with the Apache Directory LDAP codec, and directly where the codec refuses or
   * loses what RFC 4511 allows. Decision 0026 has the table of these cases.
   *
   * <p>Confined to one thread at a time. The codec sees neither controls, of which it keeps only
   * the last of several with one object identifier, nor requests that are beyond a limit.
   */
  static final class ApacheReader implements OperationReader {
    private static final LdapApiService SERVICE = service();

    /** Ways in which a request was read. */
    enum Reading {
      /** By the codec. */
      CODEC,
      /** Directly: it does not have the {@link PlainForm}. */
      NOT_PLAIN,
      /** Directly: the codec refused it. */
      REFUSED,
      /** Directly: the codec merged attributes or values. */
      MERGED
    }

    private final BerReader in;
    private final DirectReader direct;
    private final PlainForm form;
    private final LdapMessageContainer<Message> container;
    private Reading reading = Reading.CODEC;

    /** Creates a reader of messages of at most {@code maximumPduBytes}. */
    ApacheReader(BerReader in, ServerLimits limits, int maximumPduBytes) {
      this.in = in;
      direct = new DirectReader(in, limits);
      form = new PlainForm(in, limits);
      container = new LdapMessageContainer<>(SERVICE, _ -> true);
      container.setDnFactory(new RawDnFactory());
      container.setMaxPDUSize(maximumPduBytes);
    }

    /**
     * Returns the codec without its control and extended operation decoders: their values stay
     * bytes until they are used.
     */
    static LdapApiService service() {
      DefaultLdapCodecService service = new DefaultLdapCodecService();
      for (String oid : copy(service.registeredRequestControls())) {
        service.unregisterRequestControl(oid);
      }
      for (String oid : copy(service.registeredExtendedRequests())) {
        service.unregisterExtendedRequest(oid);
      }
      return service;
    }

    private static List<String> copy(Iterator<String> names) {
      List<String> copy = new ArrayList<>();
      names.forEachRemaining(copy::add);
      return copy;
    }

    /** Returns how the last request was read. */
    Reading reading() {
      return reading;
    }

    @Override
    public Request read(Envelope envelope) throws InvalidBerException {
      reading = Reading.NOT_PLAIN;
      Request request = form.matches(envelope) ? decode(envelope) : null;
      if (request != null) {
        return request;
      }
      envelope.moveToOperation();
      return direct.read(envelope);
    }

    /** Returns the request as the codec reads it; null if it cannot. */
    private @Nullable Request decode(Envelope envelope) {
      reading = Reading.REFUSED;
      try {
        Message message = message(envelope.withoutControls());
        if (message == null) {
          return null;
        }
        envelope.moveToOperation();
        Request request = ApacheRequests.of(message, form, in, envelope);
        reading = request == null ? Reading.MERGED : Reading.CODEC;
        return request;
      } catch (DecoderException | InvalidBerException | RuntimeException _) {
        return null;
      } finally {
        container.clean();
      }
    }

    private @Nullable Message message(ByteBuffer pdu) throws DecoderException {
      Asn1Decoder.decode(pdu, container);
      boolean isWhole = container.getState() == TLVStateEnum.PDU_DECODED && !pdu.hasRemaining();
      return isWhole ? container.getMessage() : null;
    }
  }
}
