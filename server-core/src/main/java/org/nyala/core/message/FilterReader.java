package org.nyala.core.message;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerLimitException;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;

/**
 * Reads filters in the values of controls (RFC 4511, section 4.5.1; the empty sets of RFC 4526).
 *
 * <p>Confined to one running operation.
 */
public final class FilterReader {
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
  private static final int INITIAL = 0x80;
  private static final int ANY = 0x81;
  private static final int FINAL = 0x82;
  private static final int RULE = 0x81;
  private static final int TYPE = 0x82;
  private static final int VALUE = 0x83;
  private static final int DN_ATTRIBUTES = 0x84;

  private final ServerLimits limits;
  private int nodes;

  /** Reads filters that have, all together, at most as many nodes as the limits say. */
  public FilterReader(ServerLimits limits) {
    this.limits = limits;
  }

  /**
   * Reads the filter that comes next.
   *
   * @throws InvalidBerException if it is no filter, or larger than the limits allow
   */
  public FilterNode read(BerReader in) throws InvalidBerException {
    return filter(in, 1);
  }

  /**
   * Reads the item that comes next: a filter of a single test.
   *
   * @throws InvalidBerException if it is none, or one too many
   */
  public FilterNode readItem(BerReader in) throws InvalidBerException {
    count();
    return item(in);
  }

  private FilterNode filter(BerReader in, int depth) throws InvalidBerException {
    if (depth > limits.requests().filterDepth()) {
      throw new BerLimitException("filter nests deeper than " + limits.requests().filterDepth());
    }
    count();
    return switch (in.nextTag()) {
      case AND -> new FilterNode.And(set(in.enter(AND), depth));
      case OR -> new FilterNode.Or(set(in.enter(OR), depth));
      case NOT -> not(in.enter(NOT), depth);
      default -> item(in);
    };
  }

  private void count() throws InvalidBerException {
    if (++nodes > limits.requests().filterNodes()) {
      throw new BerLimitException("filter has more than " + limits.requests().filterNodes() + " nodes");
    }
  }

  private List<FilterNode> set(BerReader in, int depth) throws InvalidBerException {
    List<FilterNode> members = new ArrayList<>(4);
    while (in.hasNext()) {
      members.add(filter(in, depth + 1));
    }
    return members;
  }

  private FilterNode not(BerReader in, int depth) throws InvalidBerException {
    FilterNode node = filter(in, depth + 1);
    in.requireEnd();
    return new FilterNode.Not(node);
  }

  private FilterNode item(BerReader in) throws InvalidBerException {
    int tag = in.nextTag();
    return switch (tag) {
      case PRESENT -> new FilterNode.Present(in.text(PRESENT));
      case SUBSTRINGS -> substrings(in.enter(SUBSTRINGS));
      case EXTENSIBLE -> extensible(in.enter(EXTENSIBLE));
      case EQUALITY, GREATER_OR_EQUAL, LESS_OR_EQUAL, APPROXIMATE -> assertion(tag, in.enter(tag));
      default -> throw new InvalidBerException("filter has a part of an unknown kind");
    };
  }

  private static FilterNode assertion(int tag, BerReader in) throws InvalidBerException {
    String attribute = in.text();
    byte[] value = in.octets();
    in.skipExtensions();
    return switch (tag) {
      case GREATER_OR_EQUAL -> new FilterNode.GreaterOrEqual(attribute, value);
      case LESS_OR_EQUAL -> new FilterNode.LessOrEqual(attribute, value);
      case APPROXIMATE -> new FilterNode.Approximate(attribute, value);
      default -> new FilterNode.Equality(attribute, value);
    };
  }

  private FilterNode substrings(BerReader in) throws InvalidBerException {
    String attribute = in.text();
    BerReader pieces = in.sequence();
    in.skipExtensions();
    byte @Nullable [] initial = pieces.nextTag() == INITIAL ? pieces.octets(INITIAL) : null;
    List<byte[]> any = new ArrayList<>(2);
    while (pieces.nextTag() == ANY) {
      count();
      any.add(pieces.octets(ANY));
    }
    byte @Nullable [] last = pieces.nextTag() == FINAL ? pieces.octets(FINAL) : null;
    if (pieces.hasNext() || (initial == null && last == null && any.isEmpty())) {
      throw new InvalidBerException("the pieces of a substrings filter are not in order");
    }
    return new FilterNode.Substrings(attribute, initial, any, last);
  }

  private static FilterNode extensible(BerReader in) throws InvalidBerException {
    String rule = in.nextTag() == RULE ? in.text(RULE) : null;
    String attribute = in.nextTag() == TYPE ? in.text(TYPE) : null;
    byte[] value = in.octets(VALUE);
    boolean dnAttributes = in.nextTag() == DN_ATTRIBUTES && in.bool(DN_ATTRIBUTES);
    if (in.nextTag() >= RULE && in.nextTag() <= DN_ATTRIBUTES) {
      throw new InvalidBerException("the parts of an extensible filter are not in order");
    }
    in.skipExtensions();
    if (rule == null && attribute == null) {
      throw new InvalidBerException("an extensible filter names neither rule nor attribute");
    }
    return new FilterNode.Extensible(rule, attribute, value, dnAttributes);
  }
}
