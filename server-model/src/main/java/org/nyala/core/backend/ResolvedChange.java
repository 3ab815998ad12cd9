package org.nyala.core.backend;

import java.util.List;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.Entry;

/**
 * A change with nothing left to decide: checked, with every generated value in it, so that to apply
 * it to the same state gives the same state anywhere.
 *
 * <p>Immutable, but for the entry, which is never changed after construction.
 */
public sealed interface ResolvedChange {
  /** The name of the entry before the change. */
  Dn dn();

  /** A new entry below one that exists, or at the top of a naming context; all attributes. */
  record Add(Entry entry) implements ResolvedChange {
    @Override
    public Dn dn() {
      return entry.dn();
    }
  }

  /** Other values in an entry that exists. */
  record Modify(Dn dn, long entryId, List<AttributeChange> changes) implements ResolvedChange {
    public Modify {
      changes = List.copyOf(changes);
    }
  }

  /**
   * A new name for an existing entry, and so for everything below it.
   *
   * @param newDn the name afterwards, in the same naming context; its parent exists and is not the
   *     entry itself or below it. No other entry has it
   * @param changes the changes to the entry's own attributes
   */
  record Rename(Dn dn, long entryId, Dn newDn, List<AttributeChange> changes)
      implements ResolvedChange {
    public Rename {
      changes = List.copyOf(changes);
    }
  }

  /** An entry without subordinates disappears. */
  record Delete(Dn dn, long entryId) implements ResolvedChange {}
}
