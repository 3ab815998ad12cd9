package org.nyala.core.access.slapd;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Target;
import org.nyala.core.access.rule.Where;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.FilterNode;
import org.nyala.core.provider.AttributeProviders;

/** Tells filters that are true for the same entries as in slapd from others. */
final class EntryFilter {
  private static final int MAXIMUM_NODES = 10_000;
  private static final String OTHERWISE = "not compared as slapd does";

  /** Operational attributes that are stored in entries here and there. */
  private static final Set<String> STORED =
      Set.of("createtimestamp", "modifytimestamp", "creatorsname", "modifiersname", "entryuuid");

  private EntryFilter() {}

  /** Returns the reason why a filter cannot be taken over; null if it can. */
  static @Nullable String refusal(Wording wording, String filter) {
    if (filter.chars().anyMatch(c -> c == '\n' || c == '\r' || c == 0)) {
      return OTHERWISE;
    }
    Where where;
    try {
      where = new Where(filter);
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    String reason = wording.refusal(new Target(Place.EVERYWHERE, where, Attributes.ALL, null));
    return reason == null ? difference(wording, where.filter()) : reason;
  }

  private static @Nullable String difference(Wording wording, FilterNode filter) {
    Deque<FilterNode> left = new ArrayDeque<>(List.of(filter));
    for (int i = 0; !left.isEmpty(); i++) {
      if (i == MAXIMUM_NODES || !isAlike(wording, left.pop(), left)) {
        return OTHERWISE;
      }
    }
    return null;
  }

  private static boolean isAlike(Wording wording, FilterNode node, Deque<FilterNode> left) {
    return switch (node) {
      case FilterNode.And and -> left.addAll(and.nodes()) || and.nodes().isEmpty();
      case FilterNode.Or or -> left.addAll(or.nodes()) || or.nodes().isEmpty();
      case FilterNode.Not not -> left.add(not.node());
      case FilterNode.Present item -> isStored(wording, item.attribute());
      case FilterNode.Equality item -> isStored(wording, item.attribute());
      case FilterNode.GreaterOrEqual item -> isStored(wording, item.attribute());
      case FilterNode.LessOrEqual item -> isStored(wording, item.attribute());
      case FilterNode.Substrings item -> isStored(wording, item.attribute());
      case FilterNode.Extensible item ->
          item.attribute() != null && !item.dnAttributes() && isStored(wording, item.attribute());
      case FilterNode.Approximate _ -> false;
    };
  }

  private static boolean isStored(Wording wording, String attribute) {
    AttributeDescription description = AttributeDescription.parse(wording.schema(), attribute);
    if (description == null) {
      return false;
    }
    String name = description.type().name().toLowerCase(Locale.ROOT);
    return !AttributeProviders.isOfMemberships(description.type())
        && (!description.type().isOperational() || STORED.contains(name));
  }
}
