package org.nyala.core.filter;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * The selection of attributes that a client gets of an entry: those it requested (RFC 4511, section
 * 4.5.1.8; {@code +} of RFC 3673; {@code @class} of RFC 4529) except those hidden from it.
 *
 * <p>Thread-safe: the answers for a table are computed once. Hot.
 */
public final class AttributeSelection {
  /** The visibility of attributes to a client. Thread-safe. */
  @FunctionalInterface
  public interface Visibility {
    /** Returns whether values of this type may be shown. */
    boolean isVisible(AttributeType type);

    /** Returns whether stored values of this type are shown; not if they are computed instead. */
    default boolean isStored(AttributeType type) {
      return true;
    }
  }

  public static final AttributeSelection NOTHING =
      new AttributeSelection(false, false, false, List.of(), _ -> false, null);

  private final boolean allUser;
  private final boolean allOperational;
  private final boolean typesOnly;
  private final List<AttributeDescription> named;
  private final Visibility visibility;
  private final @Nullable AttributeRights rights;
  private Answers answers = new Answers(AttributeTable.EMPTY, new boolean[1]);

  private record Answers(AttributeTable table, boolean[] selected) {}

  private AttributeSelection(
      boolean allUser,
      boolean allOperational,
      boolean typesOnly,
      Collection<AttributeDescription> named,
      Visibility visibility,
      @Nullable AttributeRights rights) {
    this.allUser = allUser;
    this.allOperational = allOperational;
    this.typesOnly = typesOnly;
    this.named = List.copyOf(named);
    this.visibility = visibility;
    this.rights = rights;
  }

  /**
   * Resolves the attribute list of a request; names that the schema does not know select nothing.
   */
  public static AttributeSelection of(
      Schema schema, List<String> requested, boolean typesOnly, Visibility visibility) {
    boolean allUser = requested.isEmpty();
    boolean allOperational = false;
    // A set: an entry is tested against every name, and classes share most of theirs.
    Set<AttributeDescription> named = new LinkedHashSet<>();
    for (String name : requested) {
      switch (name) {
        case "*" -> allUser = true;
        case "+" -> allOperational = true;
        case "1.1", "" -> {}
        default -> addNamed(schema, name, named);
      }
    }
    return new AttributeSelection(allUser, allOperational, typesOnly, named, visibility, null);
  }

  /** Returns the selection of those of these attributes to which there is a right. */
  public AttributeSelection within(AttributeRights others) {
    return new AttributeSelection(allUser, allOperational, typesOnly, named, visibility, others);
  }

  private static void addNamed(Schema schema, String name, Set<AttributeDescription> named) {
    if (name.charAt(0) == '@') {
      ObjectClass objectClass = schema.objectClass(name.substring(1));
      if (objectClass != null) {
        addClass(objectClass, named);
      }
      return;
    }
    AttributeDescription description = AttributeDescription.parse(schema, name);
    if (description != null) {
      named.add(description);
    }
  }

  private static void addClass(ObjectClass objectClass, Set<AttributeDescription> named) {
    objectClass.must().forEach(type -> named.add(AttributeDescription.of(type)));
    objectClass.may().forEach(type -> named.add(AttributeDescription.of(type)));
    objectClass.superiors().forEach(superior -> addClass(superior, named));
  }

  /** Returns whether names are sent without values. */
  public boolean typesOnly() {
    return typesOnly;
  }

  /** Returns whether the attribute with number {@code attributeId} in {@code table} is sent. */
  public boolean selects(AttributeTable table, int attributeId) {
    return selected(table)[attributeId];
  }

  /**
   * Returns for every attribute number of {@code table} whether it is sent. Borrowed, never written
   * to.
   */
  public boolean[] selected(AttributeTable table) {
    Answers known = answers;
    if (known.table != table) {
      known = compute(table);
      answers = known;
    }
    return known.selected;
  }

  /** Returns whether no operational attribute is sent, only user attributes. */
  public boolean isUserOnly() {
    return !allOperational && named.isEmpty();
  }

  /** Returns whether a computed attribute, which no table numbers, is sent. */
  public boolean selects(AttributeDescription description) {
    return (rights == null || rights.isGranted(description)) && asks(description);
  }

  private boolean asks(AttributeDescription description) {
    if (!visibility.isVisible(description.type())) {
      return false;
    }
    if (description.type().isOperational() ? allOperational : allUser) {
      return true;
    }
    return names(description);
  }

  /** Returns whether an attribute, or one that it descends from, was requested by name. */
  public boolean names(AttributeDescription description) {
    for (AttributeDescription name : named) {
      if (description.isSubtypeOf(name)) {
        return true;
      }
    }
    return false;
  }

  private Answers compute(AttributeTable table) {
    boolean[] selected = new boolean[table.size() + 1];
    boolean[] granted = rights == null ? null : rights.granted(table);
    for (int id = 1; id <= table.size(); id++) {
      AttributeDescription description = table.description(id);
      selected[id] =
          (rights == null || granted != null && granted[id])
              && asks(description)
              && visibility.isStored(description.type());
    }
    return new Answers(table, selected);
  }
}
