package org.nyala.core.backend;

import java.util.List;
import org.nyala.core.entry.AttributeDescription;

/**
 * A change to one attribute of an entry; values are as presented.
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 */
public sealed interface AttributeChange {
  /** Returns the description of the attribute, options included. */
  AttributeDescription description();

  /** The attribute has exactly these values afterwards; with none it is gone. */
  record Replaced(AttributeDescription description, List<byte[]> values)
      implements AttributeChange {
    public Replaced {
      values = List.copyOf(values);
    }
  }

  /**
   * The attribute loses values, then gets others: the form for attributes with very many values,
   * whose cost does not depend on how many there are. Every removed value is present, by the
   * attribute's equality rule; every added one is not, once the removed ones are gone. So a value
   * may be among both, and is afterwards as it was added.
   */
  record Updated(AttributeDescription description, List<byte[]> removed, List<byte[]> added)
      implements AttributeChange {
    public Updated {
      removed = List.copyOf(removed);
      added = List.copyOf(added);
    }
  }
}
