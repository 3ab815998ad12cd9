package org.nyala.core.message;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerContentException;
import org.nyala.core.ber.BerLimitException;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;

/**
 * Reads filters of searches and in the values of controls (RFC 4511, section 4.5.1; the empty sets
 * of RFC 4526).
 *
 * <p>Confined to one thread at a time: to the decoding of one message, or to one running operation.
 * Hot.
 */
public final class FilterReader {
  private static final String NODES = "nodes of a filter";

  private final ServerLimits limits;
  private final BerReader.Element<FilterNode> member = this::member;
  private final BerReader.Element<byte[]> piece = this::piece;
  private int nodes;
  private int depth;

  /** Creates a reader of filters that have, all together, as many nodes as the limits allow. */
  public FilterReader(ServerLimits limits) {
    this.limits = limits;
  }

  /** Forgets the nodes that it has read: the next filter may have as many as the limits allow. */
  public void reset() {
    nodes = 0;
    depth = 0;
  }

  /** Returns the most nodes of a filter. */
  public int most() {
    return limits.requests().filterNodes();
  }

  /**
   * Reads the filter that comes next.
   *
   * @throws InvalidBerException if it is no filter, or larger than the limits allow
   */
  public FilterNode read(BerReader in) throws InvalidBerException {
    depth = 0;
    return member(in);
  }

  /**
   * Reads the item that comes next: a filter of a single test.
   *
   * @throws InvalidBerException if it is none, or one too many
   */
  public FilterNode readItem(BerReader in) throws InvalidBerException {
    count();
    int tag = in.nextTag();
    if (tag == FilterTags.AND || tag == FilterTags.OR || tag == FilterTags.NOT) {
      throw unknown();
    }
    return node(in, tag);
  }

  /** Reads a filter within those that were entered. */
  private FilterNode member(BerReader in) throws InvalidBerException {
    if (depth >= limits.requests().filterDepth()) {
      throw new BerLimitException(
          "the filter is nested more than " + limits.requests().filterDepth() + " deep");
    }
    count();
    depth++;
    FilterNode read = node(in, in.nextTag());
    depth--;
    return read;
  }

  private FilterNode node(BerReader in, int tag) throws InvalidBerException {
    return switch (tag) {
      case FilterTags.AND -> new FilterNode.And(set(in, tag));
      case FilterTags.OR -> new FilterNode.Or(set(in, tag));
      case FilterTags.NOT -> not(in);
      case FilterTags.PRESENT -> new FilterNode.Present(in.text(FilterTags.PRESENT));
      case FilterTags.SUBSTRINGS -> substrings(in);
      case FilterTags.EXTENSIBLE -> extensible(in);
      case FilterTags.EQUALITY,
          FilterTags.GREATER_OR_EQUAL,
          FilterTags.LESS_OR_EQUAL,
          FilterTags.APPROXIMATE ->
          assertion(in, tag);
      default -> throw unknown();
    };
  }

  private static InvalidBerException unknown() {
    return new BerContentException("the filter has a part of an unknown kind");
  }

  /** Counts a node; pieces of a substrings filter cost like nodes. */
  private void count() throws InvalidBerException {
    if (++nodes > limits.requests().filterNodes()) {
      throw new BerLimitException(
          "the filter has more than " + limits.requests().filterNodes() + " nodes");
    }
  }

  private List<FilterNode> set(BerReader in, int tag) throws InvalidBerException {
    int outer = in.enter(tag);
    List<FilterNode> members = in.list(most(), NODES, member);
    in.leave(outer);
    return members;
  }

  private FilterNode not(BerReader in) throws InvalidBerException {
    int outer = in.enter(FilterTags.NOT);
    FilterNode node = member(in);
    in.leave(outer);
    return new FilterNode.Not(node);
  }

  private static FilterNode assertion(BerReader in, int tag) throws InvalidBerException {
    int outer = in.enter(tag);
    String attribute = in.text();
    byte[] value = in.octets();
    in.leaveExtensible(outer);
    return switch (tag) {
      case FilterTags.GREATER_OR_EQUAL -> new FilterNode.GreaterOrEqual(attribute, value);
      case FilterTags.LESS_OR_EQUAL -> new FilterNode.LessOrEqual(attribute, value);
      case FilterTags.APPROXIMATE -> new FilterNode.Approximate(attribute, value);
      default -> new FilterNode.Equality(attribute, value);
    };
  }

  private FilterNode substrings(BerReader in) throws InvalidBerException {
    int outer = in.enter(FilterTags.SUBSTRINGS);
    String attribute = in.text();
    int pieces = in.enter(BerReader.SEQUENCE);
    byte @Nullable [] initial =
        in.nextTag() == FilterTags.INITIAL ? in.octets(FilterTags.INITIAL) : null;
    List<byte[]> any = in.list(FilterTags.ANY, most(), NODES, piece);
    byte @Nullable [] last = in.nextTag() == FilterTags.FINAL ? in.octets(FilterTags.FINAL) : null;
    if (in.hasNext() || (initial == null && last == null && any.isEmpty())) {
      throw new BerContentException("the pieces of a substrings filter are not in order");
    }
    in.leave(pieces);
    in.leaveExtensible(outer);
    return new FilterNode.Substrings(attribute, initial, any, last);
  }

  private byte[] piece(BerReader in) throws InvalidBerException {
    count();
    return in.octets(FilterTags.ANY);
  }

  private static FilterNode extensible(BerReader in) throws InvalidBerException {
    int outer = in.enter(FilterTags.EXTENSIBLE);
    String rule = in.nextTag() == FilterTags.RULE ? in.text(FilterTags.RULE) : null;
    String attribute = in.nextTag() == FilterTags.TYPE ? in.text(FilterTags.TYPE) : null;
    byte[] value = in.octets(FilterTags.VALUE);
    boolean dnAttributes =
        in.nextTag() == FilterTags.DN_ATTRIBUTES && in.bool(FilterTags.DN_ATTRIBUTES);
    if (in.nextTag() >= FilterTags.RULE && in.nextTag() <= FilterTags.DN_ATTRIBUTES) {
      throw new BerContentException("the parts of an extensible filter are not in order");
    }
    in.leaveExtensible(outer);
    if (rule == null && attribute == null) {
      throw new BerContentException("an extensible filter names neither rule nor attribute");
    }
    return new FilterNode.Extensible(rule, attribute, value, dnAttributes);
  }
}
