package org.nyala.blind;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.nyala.core.message.FilterNode;

/**
 * Random filters about what is seen and what is not.
 *
 * <p>Confined to one thread.
 */
final class BlindFilters {
  private static final List<String> RULES =
      List.of(
          "caseIgnoreMatch",
          "caseExactMatch",
          "caseIgnoreSubstringsMatch",
          "caseIgnoreOrderingMatch",
          "distinguishedNameMatch",
          "1.2.840.113556.1.4.1941",
          "1.2.840.113556.1.4.803",
          "integerMatch",
          "integerOrderingMatch",
          "booleanMatch",
          "objectIdentifierMatch",
          "octetStringMatch",
          "telephoneNumberMatch",
          "generalizedTimeMatch",
          "generalizedTimeOrderingMatch",
          "UUIDMatch",
          "CSNMatch",
          "noSuchMatch");

  private final Lot lot;

  /** The kinds of filters made so far. */
  final Set<Class<?>> made = new HashSet<>();

  BlindFilters(Lot lot) {
    this.lot = lot;
  }

  /** Returns a filter that is nested at most this deep. */
  FilterNode next(int depth) {
    FilterNode node = depth == 0 || lot.random.nextInt(5) < 2 ? item() : composed(depth - 1);
    made.add(node.getClass());
    return node;
  }

  private FilterNode composed(int depth) {
    return switch (lot.random.nextInt(3)) {
      case 0 -> new FilterNode.And(lot.some(3, () -> next(depth)));
      case 1 -> new FilterNode.Or(lot.some(3, () -> next(depth)));
      default -> new FilterNode.Not(next(depth));
    };
  }

  /** Returns a filter with one test. */
  FilterNode item() {
    FilterNode node = test(lot.attribute());
    made.add(node.getClass());
    return node;
  }

  private FilterNode test(String attribute) {
    byte[] value = lot.value(attribute).getBytes(UTF_8);
    return switch (lot.random.nextInt(10)) {
      case 0, 1, 2 -> new FilterNode.Equality(attribute, value);
      case 3, 4 -> new FilterNode.Present(attribute);
      case 5 -> substrings(attribute, new String(value, UTF_8));
      case 6 -> new FilterNode.GreaterOrEqual(attribute, value);
      case 7 -> new FilterNode.LessOrEqual(attribute, value);
      case 8 -> new FilterNode.Approximate(attribute, value);
      default -> extensible(attribute, value);
    };
  }

  private FilterNode substrings(String attribute, String value) {
    int from = lot.random.nextInt(value.length() + 1);
    byte[] initial = lot.once(2) ? value.substring(0, from).getBytes(UTF_8) : null;
    byte[] last = lot.once(2) ? value.substring(from).getBytes(UTF_8) : null;
    List<byte[]> any = new ArrayList<>();
    if (initial == null && last == null) {
      any.add(value.substring(from / 2, from).getBytes(UTF_8));
    }
    return new FilterNode.Substrings(attribute, initial, any, last);
  }

  private FilterNode extensible(String attribute, byte[] value) {
    String rule = lot.once(4) ? null : lot.pick(RULES);
    String type = rule != null && lot.once(3) ? null : attribute;
    return new FilterNode.Extensible(rule, type, value, lot.once(3));
  }
}
