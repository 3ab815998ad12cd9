package org.nyala.core.access.rule;

import java.util.List;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;

/**
 * The attributes that a target covers: those of a list, or all but those of a list.
 *
 * <p>Immutable.
 *
 * @param isAllBut true if the list is left out
 * @param items the list
 */
public record Attributes(boolean isAllBut, List<Item> items) {
  /** All attributes, the entry itself and its children among them. */
  public static final Attributes ALL = new Attributes(true, List.of());

  private static final String EXTENSIBLE_OBJECT = "1.3.6.1.4.1.1466.101.120.111";

  /**
   * An item of a list of attributes.
   *
   * <p>Immutable.
   */
  public sealed interface Item {
    /**
     * An attribute with its subtypes, and with any options besides those named.
     *
     * @param description the attribute, and the options that it has at least
     */
    record Described(AttributeDescription description) implements Item {}

    /**
     * The attributes that a class or one of its superiors requires or allows, with their subtypes;
     * everything for {@code extensibleObject}.
     *
     * @param objectClass the class
     */
    record OfClass(ObjectClass objectClass) implements Item {}
  }

  /** A thing about an entry that rules treat as an attribute, as in slapd. */
  public enum Pseudo implements Item {
    /** The entry itself: its name, and that it exists. */
    ENTRY("entry"),
    /** The list of the entries directly below it. */
    CHILDREN("children");

    private final String word;

    Pseudo(String word) {
      this.word = word;
    }

    /** The word of the language. */
    public String word() {
      return word;
    }
  }

  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException if it is empty, and not everything is meant
   */
  public Attributes {
    items = List.copyOf(items);
    if (items.isEmpty() && !isAllBut) {
      throw new IllegalArgumentException("no attributes");
    }
  }

  /** Returns whether values of a type are names of entries, by its syntax. */
  public static boolean hasNames(AttributeType type) {
    return SchemaNames.hasNames(type);
  }

  /** Returns whether values of a description are covered. */
  public boolean covers(AttributeDescription description) {
    boolean isListed = false;
    for (Item item : items) {
      isListed |=
          switch (item) {
            case Item.Described listed -> description.isSubtypeOf(listed.description());
            case Item.OfClass listed ->
                isExtensible(listed) || knows(listed.objectClass(), description.type());
            case Pseudo _ -> false;
          };
    }
    return isListed != isAllBut;
  }

  /**
   * Returns whether values of a description are covered because it is named, not by all or class.
   */
  public boolean names(AttributeDescription description) {
    if (isAllBut) {
      return false;
    }
    for (Item item : items) {
      if (item instanceof Item.Described listed && description.isSubtypeOf(listed.description())) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether an entry itself, or its children, are covered. */
  public boolean covers(Pseudo pseudo) {
    boolean isListed = false;
    for (Item item : items) {
      isListed |= item == pseudo || item instanceof Item.OfClass listed && isExtensible(listed);
    }
    return isListed != isAllBut;
  }

  private static boolean isExtensible(Item.OfClass item) {
    return item.objectClass().oid().equals(EXTENSIBLE_OBJECT);
  }

  /** Returns whether a class or one of its superiors requires or allows a type. */
  static boolean knows(ObjectClass objectClass, AttributeType type) {
    for (AttributeType required : objectClass.must()) {
      if (type.isOrDescendsFrom(required)) {
        return true;
      }
    }
    for (AttributeType allowed : objectClass.may()) {
      if (type.isOrDescendsFrom(allowed)) {
        return true;
      }
    }
    for (ObjectClass superior : objectClass.superiors()) {
      if (knows(superior, type)) {
        return true;
      }
    }
    return false;
  }
}
