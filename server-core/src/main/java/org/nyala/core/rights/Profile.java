package org.nyala.core.rights;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.AttributeRights;
import org.nyala.core.filter.AttributeSelection;

/**
 * A client's rights to entries that are treated alike.
 *
 * <p>Implementations are thread-safe. Hot. Arrays are borrowed and never written to by others.
 */
public interface Profile {
  /**
   * Returns the part of some attributes that the client may see; the same for the same, as long as
   * there is room.
   *
   * @param asked the attributes that are asked for
   * @param readable returns those that may be seen with a profile
   */
  AttributeSelection selection(
      AttributeSelection asked, Function<Profile, AttributeRights> readable);

  /** Returns whether entries with another profile are treated alike. */
  boolean isSameAs(@Nullable Profile other);

  /** The rights to the entry itself, as {@link Rights}. */
  int entryRights();

  /** Returns whether the client has a right to the entry itself. */
  boolean allowsEntry(Right right);

  /** Returns whether the client has a right to the list of the entries directly below. */
  boolean allowsChildren(Right right);

  /**
   * Returns whether rules may tell some values of an attribute from others; if not, no answer
   * {@linkplain Answer#DEPENDS depends} on values.
   */
  boolean mayDependOnValues();

  /** The rights to an attribute as a whole, as {@link Rights}: rules for values are passed over. */
  int rights(AttributeDescription attribute);

  /** The rights to the attribute of a number as a whole, as {@link Rights}. */
  int rights(AttributeTable table, int attributeId);

  /** Returns whether the client has a right to the values of an attribute. */
  Answer onValues(AttributeDescription attribute, Right right);

  /** Returns whether the client has a right to the values of the attribute of a number. */
  Answer onValues(AttributeTable table, int attributeId, Right right);

  /**
   * Returns for every number of a table whether the client has a right to all values; null if it
   * has for none. Borrowed.
   */
  boolean @Nullable [] granted(AttributeTable table, Right right);

  /**
   * Returns for every number of a table whether the right {@linkplain Answer#DEPENDS depends} on
   * the value; null if it does for none. Borrowed.
   */
  boolean @Nullable [] depending(AttributeTable table, Right right);
}
