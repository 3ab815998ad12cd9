package org.nyala.netty.codec;

import static org.nyala.netty.codec.MalformedRequestException.content;
import static org.nyala.netty.codec.MalformedRequestException.structure;

import java.util.List;
import org.nyala.core.ber.BerContentException;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.FilterReader;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;

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
  private static final int NEW_SUPERIOR = 0x80;
  private static final byte[] NOTHING = {};
  private static final Scope[] SCOPES = Scope.values();
  private static final DerefAliases[] DEREF_ALIASES = DerefAliases.values();

  private final BerReader in;
  private final ServerLimits limits;
  private final FilterReader filters;

  /** Creates a reader of what {@code in} reads, within {@code limits}. */
  DirectReader(BerReader in, ServerLimits limits) {
    this.in = in;
    this.limits = limits;
    this.filters = new FilterReader(limits);
  }

  @Override
  public Request read(Envelope envelope) throws InvalidBerException {
    int id = envelope.messageId();
    int tag = envelope.tag();
    List<RequestControl> controls = envelope.controls();
    return switch (tag) {
      case LdapTags.DELETE_REQUEST -> delete(id, controls);
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
      case LdapTags.SEARCH_REQUEST -> search(id, controls);
      case LdapTags.BIND_REQUEST -> bind(id, controls);
      case LdapTags.ADD_REQUEST -> add(id, controls);
      case LdapTags.MODIFY_REQUEST -> modify(id, controls);
      case LdapTags.MODIFY_DN_REQUEST -> modifyDn(id, controls);
      case LdapTags.COMPARE_REQUEST -> compare(id, controls);
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
    String name = name(LdapTags.OCTET_STRING);
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
  private String name(int tag) throws InvalidBerException {
    try {
      return in.text(tag);
    } catch (BerContentException e) {
      throw content(ResultCode.INVALID_DN_SYNTAX, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Reads the content of an AddRequest (RFC 4511, section 4.7): attributes and values in their
   * order and with their repeats.
   */
  private Request.Add add(int messageId, List<RequestControl> controls) throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    int outer = in.enter(LdapTags.SEQUENCE);
    List<Request.AttributeValues> attributes =
        in.list(most(), "attributes", DirectReader::attributeValues);
    in.leave(outer);
    in.skipExtensions();
    return new Request.Add(messageId, name, attributes, controls);
  }

  /** Reads a DelRequest, which is a name and nothing else (RFC 4511, section 4.8). */
  private Request.Delete delete(int messageId, List<RequestControl> controls)
      throws InvalidBerException {
    return new Request.Delete(messageId, name(LdapTags.DELETE_REQUEST), controls);
  }

  /** Reads the content of a ModifyRequest (RFC 4511, section 4.6). */
  private Request.Modify modify(int messageId, List<RequestControl> controls)
      throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    int outer = in.enter(LdapTags.SEQUENCE);
    List<Request.Change> changes = in.list(most(), "changes", DirectReader::change);
    in.leave(outer);
    in.skipExtensions();
    return new Request.Modify(messageId, name, changes, controls);
  }

  /** Reads the content of a ModifyDNRequest (RFC 4511, section 4.9). */
  private Request.ModifyDn modifyDn(int messageId, List<RequestControl> controls)
      throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    String newRdn = name(LdapTags.OCTET_STRING);
    boolean deleteOldRdn = in.bool(LdapTags.BOOLEAN);
    String newSuperior = in.nextTag() == NEW_SUPERIOR ? name(NEW_SUPERIOR) : null;
    in.skipExtensions();
    return new Request.ModifyDn(messageId, name, newRdn, deleteOldRdn, newSuperior, controls);
  }

  /** Reads the content of a CompareRequest (RFC 4511, section 4.10). */
  private Request.Compare compare(int messageId, List<RequestControl> controls)
      throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    int outer = in.enter(LdapTags.SEQUENCE);
    String attribute = in.text(LdapTags.OCTET_STRING);
    byte[] value = in.octets(LdapTags.OCTET_STRING);
    in.leaveExtensible(outer);
    in.skipExtensions();
    return new Request.Compare(messageId, name, attribute, value, controls);
  }

  private int most() {
    return limits.memory().requestElements();
  }

  private static Request.Change change(BerReader in) throws InvalidBerException {
    int change = in.enter(LdapTags.SEQUENCE);
    int kind = in.integer(LdapTags.ENUMERATED);
    Request.AttributeValues attribute = attributeValues(in);
    in.leaveExtensible(change);
    return new Request.Change(kind, attribute);
  }

  /** Reads an attribute with its values, in their order and with their repeats. */
  private static Request.AttributeValues attributeValues(BerReader in) throws InvalidBerException {
    int attribute = in.enter(LdapTags.SEQUENCE);
    String description = in.text(LdapTags.OCTET_STRING);
    int set = in.enter(LdapTags.SET);
    // As many as the request has elements, which are counted as they are read.
    List<byte[]> values = in.list(Integer.MAX_VALUE, "values", BerReader::octets);
    in.leave(set);
    in.leaveExtensible(attribute);
    return new Request.AttributeValues(description, values);
  }

  /** Reads the content of a SearchRequest (RFC 4511, section 4.5.1). */
  private Request.Search search(int messageId, List<RequestControl> controls)
      throws InvalidBerException {
    String base = name(LdapTags.OCTET_STRING);
    Scope scope = scope(in.integer(LdapTags.ENUMERATED));
    DerefAliases derefAliases = derefAliases(in.integer(LdapTags.ENUMERATED));
    int sizeLimit = limit(in.integer(LdapTags.INTEGER));
    int timeLimitSeconds = limit(in.integer(LdapTags.INTEGER));
    boolean typesOnly = in.bool(LdapTags.BOOLEAN);
    filters.reset();
    FilterNode filter = filters.read(in);
    List<String> attributes = attributes();
    in.skipExtensions();
    return new Request.Search(
        messageId,
        base,
        scope,
        derefAliases,
        sizeLimit,
        timeLimitSeconds,
        typesOnly,
        filter,
        attributes,
        controls);
  }

  private static Scope scope(int code) throws InvalidBerException {
    if (code < 0 || code >= SCOPES.length) {
      throw content("there is no scope " + code);
    }
    return SCOPES[code];
  }

  private static DerefAliases derefAliases(int code) throws InvalidBerException {
    if (code < 0 || code >= DEREF_ALIASES.length) {
      throw content("there is no derefAliases " + code);
    }
    return DEREF_ALIASES[code];
  }

  private static int limit(int value) throws InvalidBerException {
    if (value < 0) {
      throw content("a limit is negative");
    }
    return value;
  }

  private List<String> attributes() throws InvalidBerException {
    int outer = in.enter(LdapTags.SEQUENCE);
    int most = limits.requests().requestedAttributes();
    List<String> names = in.list(most, "attributes requested", BerReader::text);
    in.leave(outer);
    return names;
  }
}
