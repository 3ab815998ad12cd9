package org.nyala.netty.codec;

import static org.nyala.netty.codec.MalformedRequestException.content;
import static org.nyala.netty.codec.MalformedRequestException.structure;

import java.util.List;
import org.nyala.core.ber.BerContentException;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;

/**
 * Reads operations straight from the bytes (RFC 4511, sections 4.2 to 4.12). Decision 0003 has the
 * reason and the numbers.
 *
 * <p>Confined to one thread at a time. Hot.
 */
final class DirectReader implements OperationReader {
  private static final int SIMPLE = 0x80;
  private static final int SASL = 0xa3;
  private static final int REQUEST_NAME = 0x80;
  private static final int REQUEST_VALUE = 0x81;
  private static final byte[] NOTHING = {};

  private final BerReader in;
  private final SearchRequestReader searches;
  private final ChangeRequestReader changes;

  /** Creates a reader of what {@code in} reads, within {@code limits}. */
  DirectReader(BerReader in, ServerLimits limits) {
    this.in = in;
    this.searches = new SearchRequestReader(in, limits);
    this.changes = new ChangeRequestReader(in, limits);
  }

  @Override
  public Request read(Envelope envelope) throws InvalidBerException {
    int id = envelope.messageId();
    int tag = envelope.tag();
    List<RequestControl> controls = envelope.controls();
    return switch (tag) {
      case LdapTags.DELETE_REQUEST -> changes.delete(id, controls);
      case LdapTags.UNBIND_REQUEST -> unbind(id, controls);
      case LdapTags.ABANDON_REQUEST -> abandon(id, controls);
      default -> {
        in.enter(tag);
        yield constructed(tag, id, controls, envelope);
      }
    };
  }

  private Request constructed(int tag, int id, List<RequestControl> controls, Envelope envelope)
      throws InvalidBerException {
    return switch (tag) {
      case LdapTags.SEARCH_REQUEST -> searches.read(id, controls);
      case LdapTags.BIND_REQUEST -> bind(id, controls);
      case LdapTags.ADD_REQUEST -> changes.add(id, controls);
      case LdapTags.MODIFY_REQUEST -> changes.modify(id, controls);
      case LdapTags.MODIFY_DN_REQUEST -> changes.modifyDn(id, controls);
      case LdapTags.COMPARE_REQUEST -> changes.compare(id, controls);
      case LdapTags.EXTENDED_REQUEST -> extended(id, controls, envelope);
      default -> throw structure("the message is not a request");
    };
  }

  /** Reads an UnbindRequest, which is empty (RFC 4511, section 4.3). */
  private Request unbind(int id, List<RequestControl> controls) throws InvalidBerException {
    if (in.octets(LdapTags.UNBIND_REQUEST).length > 0) {
      throw content("the request cannot be decoded");
    }
    return new Request.Unbind(id, controls);
  }

  /** Reads an AbandonRequest, which is a message id (RFC 4511, section 4.11). */
  private Request abandon(int id, List<RequestControl> controls) throws InvalidBerException {
    int abandoned = in.integer(LdapTags.ABANDON_REQUEST);
    if (abandoned < 0) {
      throw content("the request cannot be decoded");
    }
    return new Request.Abandon(id, abandoned, controls);
  }

  /** Reads the content of an ExtendedRequest (RFC 4511, section 4.12). */
  private Request extended(int id, List<RequestControl> controls, Envelope envelope)
      throws InvalidBerException {
    String oid = in.text(REQUEST_NAME);
    byte[] value = in.nextTag() == REQUEST_VALUE ? in.octets(REQUEST_VALUE) : null;
    in.skipExtensions();
    return new Request.Extended(id, oid, value, controls, envelope.budgetOf(value));
  }

  /** Reads the content of a BindRequest (RFC 4511, section 4.2). */
  private Request bind(int id, List<RequestControl> controls) throws InvalidBerException {
    int version = in.integer(LdapTags.INTEGER);
    String name = name(in, LdapTags.OCTET_STRING);
    Request bind;
    switch (in.nextTag()) {
      case SIMPLE -> bind = new Request.Bind(id, version, name, null, in.octets(SIMPLE), controls);
      case SASL -> {
        int outer = in.enter(SASL);
        String mechanism = in.text(LdapTags.OCTET_STRING);
        byte[] credentials =
            in.nextTag() == LdapTags.OCTET_STRING ? in.octets(LdapTags.OCTET_STRING) : NOTHING;
        in.leaveExtensible(outer);
        bind = new Request.Bind(id, version, name, mechanism, credentials, controls);
      }
      case BerReader.END -> throw structure("a bind has no credentials");
      default ->
          throw content(
              ResultCode.AUTH_METHOD_NOT_SUPPORTED, "the kind of authentication is not known");
    }
    in.skipExtensions();
    return bind;
  }

  /** Reads the name of an entry with the given tag. */
  static String name(BerReader in, int tag) throws InvalidBerException {
    try {
      return in.text(tag);
    } catch (BerContentException e) {
      throw content(ResultCode.INVALID_DN_SYNTAX, String.valueOf(e.getMessage()));
    }
  }
}
