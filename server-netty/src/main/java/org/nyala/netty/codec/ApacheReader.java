package org.nyala.netty.codec;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
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
import org.nyala.core.message.Request;

/**
 * Reads operations with the Apache Directory LDAP codec, and directly where the codec refuses or
 * loses what RFC 4511 allows. Decision 0026 has the table of these cases.
 *
 * <p>Confined to one thread at a time. The codec sees neither controls, of which it keeps only the
 * last of several with one object identifier, nor requests that are beyond a limit.
 */
final class ApacheReader implements OperationReader {
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
   * Returns the codec without its control and extended operation decoders: their values stay bytes
   * until they are used.
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
