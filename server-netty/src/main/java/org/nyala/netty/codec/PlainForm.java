package org.nyala.netty.codec;

import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.FilterTags;
import org.nyala.core.message.Scope;

/**
 * A check of operations for the form in which the Apache codec understands them as RFC 4511 does:
 * nothing that later versions may add, text in UTF-8, attribute descriptions without spaces around
 * them, numbers in their bounds, and nothing beyond a limit of the server or too large for the
 * codec.
 *
 * <p>Confined to one thread at a time. Looks at each element once and allocates nothing.
 */
final class PlainForm {
  /**
   * The longest operation, and the most attributes and values or parts of a filter, that the codec
   * decodes: it takes several times the memory that the message is charged for.
   */
  private static final int BYTES_MAXIMUM = 1 << 20;

  static final int ELEMENTS_MAXIMUM = 4096;

  private static final int SIMPLE = 0x80;
  private static final int SASL = 0xa3;
  private static final int NEW_SUPERIOR = 0x80;
  private static final int REQUEST_NAME = 0x80;
  private static final int REQUEST_VALUE = 0x81;
  private static final int LDAP_VERSION = 3;
  private static final int LAST_SCOPE = Scope.values().length - 1;
  private static final int LAST_KIND_OF_CHANGE = 3;
  private static final int LAST_DEREF_ALIASES = 3;

  private final BerReader in;
  private final ServerLimits limits;
  private final PlainElements elements;
  private final PlainFilter filter;
  private int attributes;
  private int values;

  /** Creates a check of what {@code in} reads. */
  PlainForm(BerReader in, ServerLimits limits) {
    this.in = in;
    this.limits = limits;
    this.elements = new PlainElements(in);
    this.filter = new PlainFilter(in, elements, limits);
  }

  /** Returns whether the operation in the envelope, before which the reader is, has that form. */
  boolean matches(Envelope envelope) {
    elements.reset(envelope.bytes());
    attributes = 0;
    values = 0;
    try {
      return envelope.operationLength() <= BYTES_MAXIMUM
          && isPlain(envelope.tag())
          && !in.hasNext();
    } catch (InvalidBerException _) {
      return false;
    } finally {
      elements.release();
    }
  }

  /** Returns the number of attributes of the last Add, of changes of the last Modify. */
  int attributes() {
    return attributes;
  }

  /** Returns the number of values of the last Add or Modify. */
  int values() {
    return values;
  }

  private boolean isPlain(int tag) throws InvalidBerException {
    switch (tag) {
      case LdapTags.DELETE_REQUEST:
        return text(tag);
      case LdapTags.UNBIND_REQUEST:
        return in.skip(tag) == 0;
      case LdapTags.ABANDON_REQUEST:
        return in.integer(tag) >= 0;
      default:
        in.enter(tag);
    }
    return switch (tag) {
      case LdapTags.SEARCH_REQUEST -> search();
      case LdapTags.BIND_REQUEST -> bind();
      case LdapTags.ADD_REQUEST -> add();
      case LdapTags.MODIFY_REQUEST -> modify();
      case LdapTags.MODIFY_DN_REQUEST -> modifyDn();
      case LdapTags.COMPARE_REQUEST -> compare();
      case LdapTags.EXTENDED_REQUEST ->
          text(REQUEST_NAME) && (in.nextTag() != REQUEST_VALUE || in.skip(REQUEST_VALUE) >= 0);
      default -> false;
    };
  }

  private boolean search() throws InvalidBerException {
    return text(LdapTags.OCTET_STRING)
        && isUpTo(in.enumerated(), LAST_SCOPE)
        && isUpTo(in.enumerated(), LAST_DEREF_ALIASES)
        && areLimits()
        && elements.flag(LdapTags.BOOLEAN)
        && filter.matches()
        && names();
  }

  private boolean areLimits() throws InvalidBerException {
    int size = in.integer();
    int seconds = in.integer();
    return size >= 0 && seconds >= 0;
  }

  private static boolean isUpTo(int value, int maximum) {
    return value >= 0 && value <= maximum;
  }

  private boolean names() throws InvalidBerException {
    int outer = in.enter(LdapTags.SEQUENCE);
    int count = 0;
    while (in.hasNext()) {
      if (count++ == limits.requests().requestedAttributes() || !name()) {
        return false;
      }
    }
    in.leave(outer);
    attributes = count;
    return true;
  }

  private boolean bind() throws InvalidBerException {
    if (in.integer() != LDAP_VERSION || !text(LdapTags.OCTET_STRING)) {
      return false;
    }
    if (in.nextTag() == SIMPLE) {
      in.skip(SIMPLE);
      return true;
    }
    int outer = in.enter(SASL);
    boolean isText = text(LdapTags.OCTET_STRING);
    if (in.hasNext()) {
      in.skip(LdapTags.OCTET_STRING);
    }
    in.leave(outer);
    return isText;
  }

  private boolean add() throws InvalidBerException {
    if (!text(LdapTags.OCTET_STRING)) {
      return false;
    }
    int outer = in.enter(LdapTags.SEQUENCE);
    while (in.hasNext()) {
      if (!attribute()) {
        return false;
      }
    }
    in.leave(outer);
    return true;
  }

  private boolean modify() throws InvalidBerException {
    if (!text(LdapTags.OCTET_STRING)) {
      return false;
    }
    int outer = in.enter(LdapTags.SEQUENCE);
    while (in.hasNext()) {
      int change = in.enter(LdapTags.SEQUENCE);
      if (!isUpTo(in.enumerated(), LAST_KIND_OF_CHANGE) || !attribute()) {
        return false;
      }
      in.leave(change);
    }
    in.leave(outer);
    return true;
  }

  private boolean attribute() throws InvalidBerException {
    int attribute = in.enter(LdapTags.SEQUENCE);
    boolean isName = name();
    int set = in.enter(LdapTags.SET);
    while (in.hasNext()) {
      in.skip(LdapTags.OCTET_STRING);
      values++;
    }
    in.leave(set);
    in.leave(attribute);
    attributes++;
    return isName && attributes + values <= ELEMENTS_MAXIMUM;
  }

  private boolean modifyDn() throws InvalidBerException {
    boolean isName = text(LdapTags.OCTET_STRING);
    boolean isNewRdn = text(LdapTags.OCTET_STRING);
    return isName
        && isNewRdn
        && elements.flag(LdapTags.BOOLEAN)
        && (in.nextTag() != NEW_SUPERIOR || text(NEW_SUPERIOR));
  }

  private boolean compare() throws InvalidBerException {
    if (!text(LdapTags.OCTET_STRING)) {
      return false;
    }
    int outer = in.enter(LdapTags.SEQUENCE);
    boolean isName = name();
    in.skip(LdapTags.OCTET_STRING);
    in.leave(outer);
    return isName;
  }

  private boolean name() throws InvalidBerException {
    return elements.name(LdapTags.OCTET_STRING);
  }

  private boolean text(int tag) throws InvalidBerException {
    return elements.text(tag);
  }

  /**
   * A check of filters for the form in which the Apache codec understands them as RFC 4511 does,
   * and for the limits of the server.
   *
   * <p>Confined to one thread at a time.
   */
  private static final class PlainFilter {
    private final BerReader in;
    private final PlainElements elements;
    private final ServerLimits limits;
    private int nodes;

    /** Creates a check of what {@code in} reads. */
    PlainFilter(BerReader in, PlainElements elements, ServerLimits limits) {
      this.in = in;
      this.elements = elements;
      this.limits = limits;
    }

    /** Skips a filter; returns whether it has the form. */
    boolean matches() throws InvalidBerException {
      nodes = 0;
      return filter(1);
    }

    private boolean filter(int depth) throws InvalidBerException {
      if (depth > limits.requests().filterDepth() || !countNode()) {
        return false;
      }
      int tag = in.nextTag();
      return switch (tag) {
        case FilterTags.AND, FilterTags.OR -> set(tag, depth);
        case FilterTags.NOT -> not(depth);
        case FilterTags.PRESENT -> elements.name(tag);
        case FilterTags.SUBSTRINGS -> substrings();
        case FilterTags.EXTENSIBLE -> extensible();
        case FilterTags.EQUALITY,
            FilterTags.GREATER_OR_EQUAL,
            FilterTags.LESS_OR_EQUAL,
            FilterTags.APPROXIMATE ->
            assertion(tag);
        default -> false;
      };
    }

    private boolean countNode() {
      return ++nodes <= Math.min(limits.requests().filterNodes(), PlainForm.ELEMENTS_MAXIMUM);
    }

    private boolean set(int tag, int depth) throws InvalidBerException {
      int outer = in.enter(tag);
      while (in.hasNext()) {
        if (!filter(depth + 1)) {
          return false;
        }
      }
      in.leave(outer);
      return true;
    }

    private boolean not(int depth) throws InvalidBerException {
      int outer = in.enter(FilterTags.NOT);
      boolean isPlain = filter(depth + 1);
      in.leave(outer);
      return isPlain;
    }

    private boolean assertion(int tag) throws InvalidBerException {
      int outer = in.enter(tag);
      boolean isPlain = elements.name(LdapTags.OCTET_STRING);
      in.skip(LdapTags.OCTET_STRING);
      in.leave(outer);
      return isPlain;
    }

    private boolean substrings() throws InvalidBerException {
      int outer = in.enter(FilterTags.SUBSTRINGS);
      boolean isPlain = elements.name(LdapTags.OCTET_STRING);
      int pieces = in.enter(LdapTags.SEQUENCE);
      int last = FilterTags.INITIAL - 1;
      while (isPlain && in.hasNext()) {
        int tag = in.nextTag();
        boolean isInOrder = tag > last || tag == FilterTags.ANY && tag == last;
        isPlain =
            isInOrder
                && tag <= FilterTags.FINAL
                && (tag != FilterTags.ANY || countNode())
                && elements.piece(tag);
        last = tag;
      }
      in.leave(pieces);
      in.leave(outer);
      return isPlain && last >= FilterTags.INITIAL;
    }

    private boolean extensible() throws InvalidBerException {
      int outer = in.enter(FilterTags.EXTENSIBLE);
      boolean hasRule = in.nextTag() == FilterTags.RULE;
      boolean isPlain = !hasRule || elements.name(FilterTags.RULE);
      boolean hasType = in.nextTag() == FilterTags.TYPE;
      isPlain &= !hasType || elements.name(FilterTags.TYPE);
      in.skip(FilterTags.VALUE);
      isPlain &=
          in.nextTag() != FilterTags.DN_ATTRIBUTES || elements.flag(FilterTags.DN_ATTRIBUTES);
      in.leave(outer);
      return isPlain && (hasRule || hasType);
    }
  }
}
