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
import org.apache.directory.api.ldap.codec.api.ResponseCarryingException;
import org.apache.directory.api.ldap.codec.osgi.DefaultLdapCodecService;
import org.apache.directory.api.ldap.model.message.AbandonRequest;
import org.apache.directory.api.ldap.model.message.Message;
import org.apache.directory.api.ldap.model.message.ResultResponse;
import org.apache.directory.api.ldap.model.message.UnbindRequest;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;

/**
 * Decodes requests with the Apache Directory LDAP codec and turns its messages into ours.
 *
 * <p>Confined to one thread at a time. Never sees controls: {@link RequestDecoder} reads them,
 * because the codec keeps only the last of several with one object identifier and fails a request
 * for a control that it should have ignored.
 */
public final class ApacheRequestDecoder {
  private static final ResultCode[] CODES = ResultCode.values();

  private final LdapMessageContainer<Message> container;

  /** Creates a decoder for messages of at most {@code maximumPduBytes}. */
  ApacheRequestDecoder(LdapApiService service, int maximumPduBytes) {
    container = new LdapMessageContainer<>(service, _ -> true);
    container.setDnFactory(new RawDnFactory());
    container.setMaxPDUSize(maximumPduBytes);
  }

  /**
   * Returns the codec without its control and extended operation decoders: their values stay bytes
   * until they are used.
   */
  public static LdapApiService service() {
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

  /**
   * Decodes the message in {@code bytes[from..to)}, which has no controls.
   *
   * @param controls the controls that came with it
   */
  Request decode(byte[] bytes, int from, int to, List<RequestControl> controls)
      throws MalformedRequestException {
    Message message = message(ByteBuffer.wrap(bytes, from, to - from));
    return switch (message) {
      case AbandonRequest abandon ->
          new Request.Abandon(abandon.getMessageId(), abandon.getAbandoned(), controls);
      case UnbindRequest unbind -> new Request.Unbind(unbind.getMessageId(), controls);
      default -> throw MalformedRequestException.structure("not a request");
    };
  }

  private Message message(ByteBuffer pdu) throws MalformedRequestException {
    try {
      Asn1Decoder.decode(pdu, container);
      if (container.getState() != TLVStateEnum.PDU_DECODED || pdu.hasRemaining()) {
        throw refusal(pdu, ResultCode.PROTOCOL_ERROR);
      }
      return container.getMessage();
    } catch (ResponseCarryingException e) {
      throw refusal(pdu, code(e));
    } catch (DecoderException | RuntimeException | StackOverflowError e) {
      throw refusal(pdu, ResultCode.PROTOCOL_ERROR);
    } finally {
      container.clean();
    }
  }

  /**
   * The codec does not distinguish a wrong encoding from a wrong content; the lengths of the
   * elements do.
   */
  private static MalformedRequestException refusal(ByteBuffer pdu, ResultCode code) {
    byte[] bytes = pdu.array();
    return BerNesting.isSound(bytes, pdu.arrayOffset(), pdu.limit())
        ? MalformedRequestException.content(code, "the request cannot be decoded")
        : MalformedRequestException.structure("the request cannot be decoded");
  }

  private static ResultCode code(ResponseCarryingException e) {
    if (e.getResponse() instanceof ResultResponse response) {
      int number = response.getLdapResult().getResultCode().getResultCode();
      for (ResultCode code : CODES) {
        if (code.code() == number) {
          return code;
        }
      }
    }
    return ResultCode.PROTOCOL_ERROR;
  }
}
