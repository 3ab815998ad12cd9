package org.nyala.netty.codec;

import static org.nyala.netty.codec.MalformedRequestException.beyondLimit;
import static org.nyala.netty.codec.MalformedRequestException.content;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.DerefAliases;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;

/**
 * Reads a SearchRequest by hand (RFC 4511, section 4.5.1; the empty sets of RFC 4526). Decision
 * 0003 has the reason and the numbers.
 *
 * <p>Confined to the decoding of one message. Hot.
 */
final class SearchRequestReader {
  private static final int AND = 0xa0;
  private static final int OR = 0xa1;
  private static final int NOT = 0xa2;
  private static final int EQUALITY = 0xa3;
  private static final int SUBSTRINGS = 0xa4;
  private static final int GREATER_OR_EQUAL = 0xa5;
  private static final int LESS_OR_EQUAL = 0xa6;
  private static final int PRESENT = 0x87;
  private static final int APPROXIMATE = 0xa8;
  private static final int EXTENSIBLE = 0xa9;
  private static final int SUBSTRING_INITIAL = 0x80;
  private static final int SUBSTRING_ANY = 0x81;
  private static final int SUBSTRING_FINAL = 0x82;
  private static final int EXTENSIBLE_RULE = 0x81;
  private static final int EXTENSIBLE_TYPE = 0x82;
  private static final int EXTENSIBLE_VALUE = 0x83;
  private static final int EXTENSIBLE_DN = 0x84;

  private static final Scope[] SCOPES = Scope.values();
  private static final DerefAliases[] DEREF_ALIASES = DerefAliases.values();

  private final BerReader in;
  private final ServerLimits limits;
  private int nodes;

  /** Reads with {@code in}, within {@code limits}. */
  SearchRequestReader(BerReader in, ServerLimits limits) {
    this.in = in;
    this.limits = limits;
  }

  /** Reads the content of the request, which is all that the reader has. */
  Request.Search read(int messageId, List<RequestControl> controls)
      throws MalformedRequestException {
    nodes = 0;
    String base = in.text(LdapTags.OCTET_STRING, ResultCode.INVALID_DN_SYNTAX);
    Scope scope = scope(in.integer(LdapTags.ENUMERATED));
    DerefAliases derefAliases = derefAliases(in.integer(LdapTags.ENUMERATED));
    int sizeLimit = limit(in.integer(LdapTags.INTEGER));
    int timeLimitSeconds = limit(in.integer(LdapTags.INTEGER));
    boolean typesOnly = in.bool(LdapTags.BOOLEAN);
    FilterNode filter = filter(1);
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

  private static Scope scope(int code) throws MalformedRequestException {
    if (code < 0 || code >= SCOPES.length) {
      throw content("there is no scope " + code);
    }
    return SCOPES[code];
  }

  private static DerefAliases derefAliases(int code) throws MalformedRequestException {
    if (code < 0 || code >= DEREF_ALIASES.length) {
      throw content("there is no derefAliases " + code);
    }
    return DEREF_ALIASES[code];
  }

  private static int limit(int value) throws MalformedRequestException {
    if (value < 0) {
      throw content("a limit is negative");
    }
    return value;
  }

  private List<String> attributes() throws MalformedRequestException {
    int outer = in.enter(LdapTags.SEQUENCE);
    if (!in.hasMore()) {
      in.leave(outer);
      return List.of();
    }
    String first = in.text(LdapTags.OCTET_STRING);
    if (!in.hasMore()) {
      in.leave(outer);
      return List.of(first);
    }
    List<String> names = new ArrayList<>();
    names.add(first);
    while (in.hasMore()) {
      if (names.size() == limits.requests().requestedAttributes()) {
        throw beyondLimit(
            "more than " + limits.requests().requestedAttributes() + " attributes are requested");
      }
      names.add(in.text(LdapTags.OCTET_STRING));
    }
    in.leave(outer);
    return List.copyOf(names);
  }

  private FilterNode filter(int depth) throws MalformedRequestException {
    if (depth > limits.requests().filterDepth()) {
      throw beyondLimit("the filter is nested more than " + limits.requests().filterDepth() + " deep");
    }
    if (++nodes > limits.requests().filterNodes()) {
      throw beyondLimit("the filter has more than " + limits.requests().filterNodes() + " nodes");
    }
    int tag = in.peekTag();
    return switch (tag) {
      case AND -> new FilterNode.And(set(AND, depth));
      case OR -> new FilterNode.Or(set(OR, depth));
      case NOT -> not(depth);
      case PRESENT -> new FilterNode.Present(in.text(PRESENT));
      case SUBSTRINGS -> substrings();
      case EXTENSIBLE -> extensible();
      default -> assertion(tag);
    };
  }

  private List<FilterNode> set(int tag, int depth) throws MalformedRequestException {
    int outer = in.enter(tag);
    List<FilterNode> members = new ArrayList<>(4);
    while (in.hasMore()) {
      members.add(filter(depth + 1));
    }
    in.leave(outer);
    return members;
  }

  private FilterNode not(int depth) throws MalformedRequestException {
    int outer = in.enter(NOT);
    FilterNode node = filter(depth + 1);
    in.leave(outer);
    return new FilterNode.Not(node);
  }

  private FilterNode assertion(int tag) throws MalformedRequestException {
    if (tag != EQUALITY && tag != GREATER_OR_EQUAL && tag != LESS_OR_EQUAL && tag != APPROXIMATE) {
      throw content("the filter has a part of an unknown kind");
    }
    int outer = in.enter(tag);
    String attribute = in.text(LdapTags.OCTET_STRING);
    byte[] value = in.octets(LdapTags.OCTET_STRING);
    in.leaveExtensible(outer);
    return switch (tag) {
      case GREATER_OR_EQUAL -> new FilterNode.GreaterOrEqual(attribute, value);
      case LESS_OR_EQUAL -> new FilterNode.LessOrEqual(attribute, value);
      case APPROXIMATE -> new FilterNode.Approximate(attribute, value);
      default -> new FilterNode.Equality(attribute, value);
    };
  }

  // The checker does not see the annotations of a compact constructor's arrays in class files.
  @SuppressWarnings("NullAway")
  private FilterNode substrings() throws MalformedRequestException {
    int outer = in.enter(SUBSTRINGS);
    String attribute = in.text(LdapTags.OCTET_STRING);
    int filter = in.enter(LdapTags.SEQUENCE);
    byte @Nullable [] initial = null;
    if (in.peekTag() == SUBSTRING_INITIAL) {
      initial = in.octets(SUBSTRING_INITIAL);
    }
    List<byte[]> any = new ArrayList<>(2);
    while (in.peekTag() == SUBSTRING_ANY) {
      countPiece();
      any.add(in.octets(SUBSTRING_ANY));
    }
    byte @Nullable [] last = null;
    if (in.peekTag() == SUBSTRING_FINAL) {
      last = in.octets(SUBSTRING_FINAL);
    }
    if (in.hasMore() || (initial == null && last == null && any.isEmpty())) {
      throw content("the pieces of a substrings filter are not in order");
    }
    in.leave(filter);
    in.leaveExtensible(outer);
    return new FilterNode.Substrings(attribute, initial, any, last);
  }

  /** Pieces cost like nodes. */
  private void countPiece() throws MalformedRequestException {
    if (++nodes > limits.requests().filterNodes()) {
      throw beyondLimit("the filter has more than " + limits.requests().filterNodes() + " nodes");
    }
  }

  private FilterNode extensible() throws MalformedRequestException {
    int outer = in.enter(EXTENSIBLE);
    String rule = in.peekTag() == EXTENSIBLE_RULE ? in.text(EXTENSIBLE_RULE) : null;
    String attribute = in.peekTag() == EXTENSIBLE_TYPE ? in.text(EXTENSIBLE_TYPE) : null;
    byte[] value = in.octets(EXTENSIBLE_VALUE);
    boolean dnAttributes = in.peekTag() == EXTENSIBLE_DN && in.bool(EXTENSIBLE_DN);
    if (in.peekTag() >= EXTENSIBLE_RULE && in.peekTag() <= EXTENSIBLE_DN) {
      throw content("the parts of an extensible filter are not in order");
    }
    in.leaveExtensible(outer);
    if (rule == null && attribute == null) {
      throw content("an extensible filter names neither rule nor attribute");
    }
    return new FilterNode.Extensible(rule, attribute, value, dnAttributes);
  }
}
