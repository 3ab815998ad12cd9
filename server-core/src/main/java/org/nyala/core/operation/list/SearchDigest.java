package org.nyala.core.operation.list;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.bytes.ByteDigest;
import org.nyala.core.control.ControlType;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;

/**
 * A digest that identifies a search: two have the same digest if they find the same entries in the
 * same order for the same identity. The selected attributes and the page do not matter. A filter
 * may be as long as a request, so that a digest may take several slices.
 *
 * <p>Confined to one running operation.
 */
public final class SearchDigest {
  /** The controls that determine the entries found, and their order. */
  private static final Set<String> RELEVANT =
      Set.of(ControlType.MANAGE_DSA_IT.oid(), ControlType.SUBENTRIES.oid(), ControlType.SORT.oid());

  /** The bytes between two readings of the clock: a tenth of a millisecond. */
  static final int INTERVAL = 32 << 10;

  private final MessageDigest sha256 = ByteDigest.of("SHA-256");
  private final ByteAppender bytes = new ByteAppender(256);
  private final Deque<Iterator<FilterNode>> left = new ArrayDeque<>();
  private byte @Nullable [] whole;

  private SearchDigest() {}

  /** Begins the digest of a search, of which each assertion must have been checked for length. */
  public static SearchDigest begin(Request.Search request, Dn base, BoundIdentity identity) {
    SearchDigest digest = new SearchDigest();
    digest.octets(base.normalized());
    digest.text(request.scope().name());
    digest.text(request.derefAliases().name());
    digest.octets(identity.dn().normalized());
    digest.bytes.append(identity.isRoot() ? 1 : 0);
    identity.suffixes().stream()
        .map(Dn::normalized)
        .sorted(Arrays::compareUnsigned)
        .forEach(digest::octets);
    for (RequestControl control : request.controls()) {
      if (RELEVANT.contains(control.oid())) {
        digest.text(control.oid());
        digest.octets(control.value());
      }
    }
    digest.left.push(List.of(request.filter()).iterator());
    return digest;
  }

  /**
   * Continues the digest for a slice; each call makes progress, however short the slice is.
   *
   * @return the digest, the same when it is asked for again; null if the slice is over before
   */
  public byte @Nullable [] go(Pace pace) {
    if (whole != null) {
      return whole;
    }
    while (!left.isEmpty()) {
      Iterator<FilterNode> nodes = left.element();
      if (nodes.hasNext()) {
        add(nodes.next());
      } else {
        left.pop();
      }
      if (bytes.length() >= INTERVAL) {
        update();
        if (!pace.goesOn()) {
          return null;
        }
      }
    }
    whole = digest();
    return whole;
  }

  /**
   * Returns the digest of the lists of a search that are kept for one owner: all anonymous clients
   * are one identity, and must not use memory held by the account of another address.
   *
   * @param search the digest of the search
   * @param owner the holder of the list, identified by its text
   * @param rights the number of the rights by which entries were found
   */
  static byte[] of(byte[] search, Object owner, long rights) {
    SearchDigest digest = new SearchDigest();
    digest.octets(search);
    digest.bytes.appendLong(rights);
    // The text of an address depends on whether its name was looked up.
    digest.text(owner instanceof InetAddress ip ? ip.getHostAddress() : owner.toString());
    return digest.digest();
  }

  private void update() {
    sha256.update(bytes.array(), 0, bytes.length());
    bytes.clear();
  }

  private byte[] digest() {
    update();
    return sha256.digest();
  }

  private void octets(byte @Nullable [] value) {
    if (value == null) {
      bytes.appendInt(-1);
    } else if (value.length > INTERVAL) {
      // Not copied: a control may be as long as a request.
      bytes.appendInt(value.length);
      update();
      sha256.update(value);
    } else {
      bytes.appendInt(value.length).append(value);
    }
  }

  private void text(@Nullable String text) {
    octets(text == null ? null : text.getBytes(StandardCharsets.UTF_8));
  }

  private void add(FilterNode node) {
    switch (node) {
      case FilterNode.And and -> nodes(0, and.nodes());
      case FilterNode.Or or -> nodes(1, or.nodes());
      case FilterNode.Not not -> nodes(2, List.of(not.node()));
      case FilterNode.Equality item -> item(3, item.attribute(), item.value());
      case FilterNode.Substrings item -> substrings(item);
      case FilterNode.GreaterOrEqual item -> item(5, item.attribute(), item.value());
      case FilterNode.LessOrEqual item -> item(6, item.attribute(), item.value());
      case FilterNode.Present item -> item(7, item.attribute(), null);
      case FilterNode.Approximate item -> item(8, item.attribute(), item.value());
      case FilterNode.Extensible item -> {
        item(9, item.attribute(), item.value());
        text(item.rule());
        bytes.append(item.dnAttributes() ? 1 : 0);
      }
    }
  }

  private void nodes(int kind, List<FilterNode> nodes) {
    bytes.append(kind).appendInt(nodes.size());
    left.push(nodes.iterator());
  }

  private void item(int kind, @Nullable String attribute, byte @Nullable [] value) {
    bytes.append(kind);
    text(attribute);
    octets(value);
  }

  private void substrings(FilterNode.Substrings item) {
    item(4, item.attribute(), item.initial());
    octets(item.last());
    bytes.appendInt(item.any().size());
    item.any().forEach(this::octets);
  }
}
