package org.nyala.core.access.check;

import java.util.List;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Attributes.Item;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;

/** Compares lists of attributes: whether all of one are certainly in another. */
final class AttributesOrder {
  private AttributesOrder() {}

  /** Returns whether all attributes of a list are in another one. */
  static boolean contains(Attributes whole, Attributes part) {
    if (whole.isAllBut()) {
      return part.isAllBut()
          ? lists(part.items(), whole.items())
          : areApart(whole.items(), part.items());
    }
    return !part.isAllBut() && lists(whole.items(), part.items());
  }

  /* Tests if each item of one list is in the other. */
  private static boolean lists(List<Item> whole, List<Item> part) {
    if (whole.isEmpty()) {
      return part.isEmpty();
    }
    Attributes all = new Attributes(false, whole);
    return part.stream().allMatch(item -> lists(all, item));
  }

  private static boolean lists(Attributes whole, Item item) {
    return switch (item) {
      case Pseudo pseudo -> whole.covers(pseudo);
      case Item.Described described -> whole.covers(described.description());
      case Item.OfClass _ -> whole.items().contains(item);
    };
  }

  private static boolean areApart(List<Item> one, List<Item> other) {
    return one.stream().allMatch(item -> other.stream().allMatch(each -> areApart(item, each)));
  }

  private static boolean areApart(Item one, Item other) {
    if (one instanceof Item.OfClass || other instanceof Item.OfClass) {
      return false;
    }
    if (one instanceof Item.Described first && other instanceof Item.Described second) {
      return areApart(first.description(), second.description());
    }
    return one != other;
  }

  /* Attributes below both exist only if one of the two is below the other. */
  private static boolean areApart(AttributeDescription one, AttributeDescription other) {
    AttributeType type = one.type();
    return !type.isOrDescendsFrom(other.type()) && !other.type().isOrDescendsFrom(type);
  }
}
