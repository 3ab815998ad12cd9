package org.nyala.core.operation;

import static org.nyala.core.session.OperationFixture.bytes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.nyala.core.message.FilterNode;

/**
 * Makes random filters about entries as they are shown, and computes the entries for which they
 * hold.
 */
final class ShownFilters {
  private static final List<String> NUMBERS = List.of("uidNumber", "numSubordinates");
  private static final List<String> ORDERED =
      List.of("createTimestamp", "modifyTimestamp", "entryCSN", "uidNumber", "numSubordinates");
  private static final List<String> ATTRIBUTES =
      List.of(
          "ou",
          "description",
          "memberUid",
          "uidNumber",
          "objectClass",
          "entryDN",
          "entryUUID",
          "entryCSN",
          "createTimestamp",
          "modifyTimestamp",
          "creatorsName",
          "hasSubordinates",
          "numSubordinates",
          "subschemaSubentry",
          "structuralObjectClass",
          "governingStructureRule");

  private final List<Map<String, List<String>>> entries;
  private final Random random;

  ShownFilters(List<Map<String, List<String>>> entries, Random random) {
    this.entries = entries;
    this.random = random;
  }

  FilterNode next(int depth) {
    if (depth == 0 || random.nextInt(3) == 0) {
      return item();
    }
    return switch (random.nextInt(3)) {
      case 0 -> new FilterNode.And(List.of(next(depth - 1), next(depth - 1)));
      case 1 -> new FilterNode.Or(List.of(next(depth - 1), next(depth - 1)));
      default -> new FilterNode.Not(next(depth - 1));
    };
  }

  private FilterNode item() {
    int kind = random.nextInt(5);
    List<String> names = kind < 3 ? ATTRIBUTES : ORDERED;
    String attribute = names.get(random.nextInt(names.size()));
    byte[] value = bytes(value(attribute));
    return switch (kind) {
      case 0 -> new FilterNode.Present(attribute);
      case 1, 2 -> new FilterNode.Equality(attribute, value);
      case 3 -> new FilterNode.GreaterOrEqual(attribute, value);
      default -> new FilterNode.LessOrEqual(attribute, value);
    };
  }

  /** Returns a value that some entry has, or one that is valid for the attribute. */
  private String value(String attribute) {
    if (NUMBERS.contains(attribute) && random.nextInt(3) == 0) {
      return Integer.toString(random.nextInt(6) - 1);
    }
    List<String> all = new ArrayList<>();
    entries.forEach(entry -> all.addAll(entry.getOrDefault(attribute, List.of())));
    return all.isEmpty() ? "1" : all.get(random.nextInt(all.size()));
  }

  static boolean holds(FilterNode filter, Map<String, List<String>> entry) {
    return switch (filter) {
      case FilterNode.And and -> and.nodes().stream().allMatch(node -> holds(node, entry));
      case FilterNode.Or or -> or.nodes().stream().anyMatch(node -> holds(node, entry));
      case FilterNode.Not not -> !holds(not.node(), entry);
      case FilterNode.Present item -> entry.containsKey(item.attribute());
      case FilterNode.Equality item ->
          values(entry, item.attribute()).contains(DirectoryModel.text(item.value()));
      case FilterNode.GreaterOrEqual item ->
          values(entry, item.attribute()).stream()
              .anyMatch(value -> compare(item.attribute(), value, item.value()) >= 0);
      case FilterNode.LessOrEqual item ->
          values(entry, item.attribute()).stream()
              .anyMatch(value -> compare(item.attribute(), value, item.value()) <= 0);
      case FilterNode.Substrings _, FilterNode.Approximate _, FilterNode.Extensible _ ->
          throw new IllegalArgumentException(filter.toString());
    };
  }

  private static List<String> values(Map<String, List<String>> entry, String attribute) {
    return entry.getOrDefault(attribute, List.of());
  }

  private static int compare(String attribute, String value, byte[] assertion) {
    String other = DirectoryModel.text(assertion);
    return NUMBERS.contains(attribute)
        ? Long.compare(Long.parseLong(value), Long.parseLong(other))
        : value.compareTo(other);
  }
}
