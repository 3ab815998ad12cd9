package org.nyala.netty.codec;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.apache.directory.api.ldap.codec.api.LdapApiService;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;

/**
 * Turns one framed LDAPMessage into a {@link Request}: by hand except for Unbind and Abandon, which
 * the Apache codec decodes.
 *
 * <p>Confined to one thread at a time; keeps nothing from one message to the next. Hot.
 */
public final class RequestDecoder {
  /**
   * Larger messages get memory of their own, so that the memory of one of them is not kept for
   * ever.
   */
  private static final int SCRATCH_BYTES = 64 * 1024;

  private static final int SIMPLE = 0x80;
  private static final int SASL = 0xa3;
  private static final int REQUEST_NAME = 0x80;
  private static final int REQUEST_VALUE = 0x81;

  private final ServerLimits limits;
  private final BerReader in = new BerReader();
  private final SearchRequestReader searchReader;
  private final ChangeRequestReader changeReader;
  private final ApacheRequestDecoder apache;
  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private @Nullable MalformedRequest problem;
  private int messageId;
  private int requestTag;

  /** Creates a decoder for messages of at most {@code maximumPduBytes}. */
  public RequestDecoder(LdapApiService service, ServerLimits limits, int maximumPduBytes) {
    this.limits = limits;
    this.searchReader = new SearchRequestReader(in, limits);
    this.changeReader = new ChangeRequestReader(in);
    this.apache = new ApacheRequestDecoder(service, maximumPduBytes);
  }

  /**
   * Decodes the message in {@code length} bytes from {@code index}; null if it is malformed, and
   * then {@link #problem()} returns the fault.
   */
  public @Nullable Request decode(ByteBuf source, int index, int length) {
    byte[] bytes = length <= SCRATCH_BYTES ? scratch : new byte[length];
    source.getBytes(index, bytes, 0, length);
    messageId = 0;
    requestTag = LdapTags.NONE;
    try {
      return message(bytes, length);
    } catch (MalformedRequestException e) {
      problem = problem(e.isStructural(), LdapResult.of(e.code(), String.valueOf(e.getMessage())));
    } catch (RuntimeException | StackOverflowError e) {
      // A codec that fails on a request has not understood it, whatever the failure.
      problem = problem(true, LdapResult.of(ResultCode.PROTOCOL_ERROR, "malformed request"));
    }
    return null;
  }

  private MalformedRequest problem(boolean isStructural, LdapResult result) {
    return new MalformedRequest(messageId, requestTag, isStructural, result);
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

  private Request message(byte[] bytes, int length) throws MalformedRequestException {
    in.reset(bytes, 0, length);
    in.enter(LdapTags.SEQUENCE);
    int idStart = in.position();
    int id = in.integer(LdapTags.INTEGER);
    if (id < 1) {
      throw MalformedRequestException.structure("the message id is not positive");
    }
    messageId = id;
    int tag = in.peekTag();
    if (!LdapTags.isRequest(tag)) {
      throw MalformedRequestException.structure("the message is not a request");
    }
    int operationStart = in.position();
    int operationLength = in.header(tag);
    requestTag = tag;
    int operation = in.position();
    in.skip(operationLength);
    int operationEnd = in.position();
    List<RequestControl> controls = in.peekTag() == LdapTags.CONTROLS ? controls() : List.of();
    in.skipExtensions();
    if (in.position() != length) {
      throw MalformedRequestException.structure("the message is followed by other bytes");
    }
    if (tag == LdapTags.UNBIND_REQUEST || tag == LdapTags.ABANDON_REQUEST) {
      int from = shorten(bytes, idStart, operationEnd);
      return apache.decode(bytes, from, operationEnd, controls);
    }
    in.reset(bytes, tag == LdapTags.DELETE_REQUEST ? operationStart : operation, operationEnd);
    return operation(tag, id, controls);
  }

  /** Reads the operation at the reader's position. */
  private Request operation(int tag, int id, List<RequestControl> controls)
      throws MalformedRequestException {
    return switch (tag) {
      case LdapTags.SEARCH_REQUEST -> searchReader.read(id, controls);
      case LdapTags.BIND_REQUEST -> bind(id, controls);
      case LdapTags.ADD_REQUEST -> changeReader.add(id, controls);
      case LdapTags.DELETE_REQUEST -> changeReader.delete(id, controls);
      case LdapTags.MODIFY_REQUEST -> changeReader.modify(id, controls);
      case LdapTags.MODIFY_DN_REQUEST -> changeReader.modifyDn(id, controls);
      case LdapTags.COMPARE_REQUEST -> changeReader.compare(id, controls);
      case LdapTags.EXTENDED_REQUEST -> extended(id, controls);
      default -> throw MalformedRequestException.structure("the message is not a request");
    };
  }

  /**
   * Writes the header of a message without controls before the kept part of this one: it is no
   * longer than the header that it overwrites. Returns its offset.
   */
  private static int shorten(byte[] bytes, int from, int to) {
    int length = to - from;
    int headerLength = Ber.headerLength(length);
    int start = from - headerLength;
    bytes[start] = LdapTags.SEQUENCE;
    if (headerLength == 2) {
      bytes[start + 1] = (byte) length;
      return start;
    }
    bytes[start + 1] = (byte) (0x80 | headerLength - 2);
    for (int at = from - 1; at > start + 1; at--) {
      bytes[at] = (byte) length;
      length >>>= 8;
    }
    return start;
  }

  private List<RequestControl> controls() throws MalformedRequestException {
    int outer = in.enter(LdapTags.CONTROLS);
    List<RequestControl> controls = new ArrayList<>(2);
    while (in.hasMore()) {
      if (controls.size() == limits.requests().controls()) {
        throw MalformedRequestException.beyondLimit("more than " + limits.requests().controls() + " controls");
      }
      int control = in.enter(LdapTags.SEQUENCE);
      String oid = in.text(LdapTags.OCTET_STRING);
      boolean critical = in.peekTag() == LdapTags.BOOLEAN && in.bool(LdapTags.BOOLEAN);
      byte[] value =
          in.peekTag() == LdapTags.OCTET_STRING ? in.octets(LdapTags.OCTET_STRING) : null;
      in.leaveExtensible(control);
      controls.add(new RequestControl(oid, critical, value));
    }
    in.leave(outer);
    return List.copyOf(controls);
  }

  /** Reads the content of an ExtendedRequest (RFC 4511, section 4.12). */
  private Request extended(int id, List<RequestControl> controls) throws MalformedRequestException {
    String oid = in.text(REQUEST_NAME);
    byte[] value = in.peekTag() == REQUEST_VALUE ? in.octets(REQUEST_VALUE) : null;
    in.skipExtensions();
    return new Request.Extended(id, oid, value, controls);
  }

  /** Reads the content of a BindRequest (RFC 4511, section 4.2). */
  private Request bind(int id, List<RequestControl> controls) throws MalformedRequestException {
    int version = in.integer(LdapTags.INTEGER);
    String name = in.text(LdapTags.OCTET_STRING, ResultCode.INVALID_DN_SYNTAX);
    Request bind;
    switch (in.peekTag()) {
      case SIMPLE -> bind = new Request.Bind(id, version, name, null, in.octets(SIMPLE), controls);
      case SASL -> {
        int outer = in.enter(SASL);
        String mechanism = in.text(LdapTags.OCTET_STRING);
        byte[] credentials =
            in.peekTag() == LdapTags.OCTET_STRING ? in.octets(LdapTags.OCTET_STRING) : new byte[0];
        in.leaveExtensible(outer);
        bind = new Request.Bind(id, version, name, mechanism, credentials, controls);
      }
      case LdapTags.NONE -> throw MalformedRequestException.structure("a bind has no credentials");
      default ->
          throw MalformedRequestException.content(
              ResultCode.AUTH_METHOD_NOT_SUPPORTED, "the kind of authentication is not known");
    }
    in.skipExtensions();
    return bind;
  }
}
