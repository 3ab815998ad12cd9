package org.nyala.core.rights;

import java.util.function.LongConsumer;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;

/**
 * A client's rights in the scope of a search, before entries are read. {@link Extent#EVERYWHERE}
 * and {@link Extent#NOWHERE} are certain; {@link Extent#MIXED} may be more than is true.
 *
 * <p>Implementations are thread-safe.
 */
public interface Reach {
  /** The entries of a scope for which a client has a right to an attribute. */
  enum Extent {
    /** All of them, whatever they contain. */
    EVERYWHERE,
    /** None of them. */
    NOWHERE,
    /** Perhaps some: each has to be asked about. */
    MIXED;

    /** Returns the extent of both together: of several attributes that a filter tests at once. */
    public Extent and(Extent other) {
      return this == other ? this : MIXED;
    }
  }

  /** Returns the entries for which the client has a right to an attribute as a whole. */
  Extent of(AttributeDescription attribute, Right right);

  /** Returns the entries that the client has a right to, themselves. */
  Extent ofEntries(Right right);

  /** Returns the entries for which the client has a right to all values of an attribute. */
  Extent onValues(AttributeDescription attribute, Right right);

  /**
   * Returns the entries in which the client may test an attribute as an item of a filter does:
   * nowhere if it has no right to the attribute itself, everywhere if it has a right to all that
   * the attribute stands for. Remembered.
   *
   * @param table the numbers of the attributes that entries have
   * @param attribute the attribute that the item names, with its subtypes and any options
   * @param isAboutValues true for the right to all values of each; false for that to each as a
   *     whole
   * @param work takes the cost, in the unit of {@link org.nyala.core.filter.Compilation#accept}
   */
  Extent ofTest(
      AttributeTable table,
      AttributeDescription attribute,
      Right right,
      boolean isAboutValues,
      LongConsumer work);
}
