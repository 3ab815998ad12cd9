package org.nyala.netty.codec;

import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.FilterTags;

/**
 * A check of filters for the form in which the Apache codec understands them as RFC 4511 does, and
 * for the limits of the server.
 *
 * <p>Confined to one thread at a time.
 */
final class PlainFilter {
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
    isPlain &= in.nextTag() != FilterTags.DN_ATTRIBUTES || elements.flag(FilterTags.DN_ATTRIBUTES);
    in.leave(outer);
    return isPlain && (hasRule || hasType);
  }
}
