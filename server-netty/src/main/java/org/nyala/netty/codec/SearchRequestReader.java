package org.nyala.netty.codec;

import static org.nyala.netty.codec.MalformedRequestException.content;

import java.util.List;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.FilterReader;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.Scope;

/**
 * Reads a SearchRequest (RFC 4511, section 4.5.1).
 *
 * <p>Confined to the decoding of one message. Hot.
 */
final class SearchRequestReader {
  private static final Scope[] SCOPES = Scope.values();
  private static final DerefAliases[] DEREF_ALIASES = DerefAliases.values();

  private final BerReader in;
  private final ServerLimits limits;
  private final FilterReader filters;

  /** Reads with {@code in}, within {@code limits}. */
  SearchRequestReader(BerReader in, ServerLimits limits) {
    this.in = in;
    this.limits = limits;
    this.filters = new FilterReader(limits);
  }

  /** Reads the content of the request, which is all that the reader has. */
  Request.Search read(int messageId, List<RequestControl> controls) throws InvalidBerException {
    String base = DirectReader.name(in, LdapTags.OCTET_STRING);
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
