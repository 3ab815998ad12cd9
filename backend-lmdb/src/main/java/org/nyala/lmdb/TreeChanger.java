package org.nyala.lmdb;

import static org.nyala.core.backend.ReadTransaction.NO_ENTRY;

import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.StoreUnavailableException;
import org.nyala.core.dn.Dn;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.write.EntryChanger;
import org.nyala.lmdb.write.EntryChanger.Place;

/**
 * Carries out changes and requires that they keep the tree of entries sound: every entry has a
 * parent or is the top of a naming context, no name is given twice, and only leaves are deleted.
 * The code that resolved a change has checked this already, so a violation that is found here is a
 * programming error.
 *
 * <p>Confined to the writer's thread. Hot: looks names up without allocating.
 *
 * @param tree the entries as the transaction has left them
 * @param meta has the id of the next entry
 */
record TreeChanger(LmdbSnapshot tree, EntryChanger changer, WriterMeta meta) {
  /**
   * Carries out a change and returns the id of its entry.
   *
   * @throws StoreUnavailableException if there are no more ids for an addition
   */
  long change(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add add -> add(add);
      case ResolvedChange.Modify modify -> {
        changer.modify(modify.entryId(), modify.dn(), modify.changes());
        yield modify.entryId();
      }
      case ResolvedChange.Rename rename -> rename(rename);
      case ResolvedChange.Delete delete -> delete(delete);
    };
  }

  /**
   * Returns whether names, flags or numbers that readers remember no longer hold after a change.
   */
  boolean isUpheaving(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add add -> changer.isFlagged() || tree.layout().isTop(add.dn());
      case ResolvedChange.Modify _ -> changer.isFlagged();
      case ResolvedChange.Rename _, ResolvedChange.Delete _ -> true;
    };
  }

  /** Returns whether a change that is about to be made gives entries other names than its own. */
  boolean movesSubordinates(ResolvedChange change) {
    return change instanceof ResolvedChange.Rename rename
        && !rename.dn().equals(rename.newDn())
        && tree.hasSubordinates(rename.entryId());
  }

  private long add(ResolvedChange.Add add) {
    Dn dn = add.dn();
    if (tree.find(dn) != NO_ENTRY) {
      throw new IllegalStateException(dn + " exists already");
    }
    long id = meta.now().nextEntryId();
    if (id >>> 16 >= IndexKeys.MAXIMUM_BLOCKS) {
      throw new StoreUnavailableException("all entry ids of the store have been used", null);
    }
    changer.add(id, add.entry(), Place.of(dn, parentOf(dn)));
    meta.skipTo(id + 1);
    return id;
  }

  private long parentOf(Dn dn) {
    if (tree.layout().isTop(dn)) {
      return NO_ENTRY;
    }
    long parentId = tree.names().findParent(dn, tree.layout());
    if (parentId == NO_ENTRY) {
      throw new IllegalStateException("there is no parent for " + dn);
    }
    return parentId;
  }

  private long rename(ResolvedChange.Rename rename) {
    Dn dn = rename.dn();
    Dn newDn = rename.newDn();
    long known = tree.find(newDn);
    if (known != NO_ENTRY && known != rename.entryId()) {
      throw new IllegalStateException(newDn + " exists already");
    }
    if (newDn.isWithin(dn) && newDn.rdnCount() != dn.rdnCount()) {
      throw new IllegalStateException(dn + " cannot go below itself");
    }
    changer.rename(rename.entryId(), dn, Place.of(newDn, parentOf(newDn)), rename.changes());
    return rename.entryId();
  }

  private long delete(ResolvedChange.Delete delete) {
    if (tree.hasSubordinates(delete.entryId())) {
      throw new IllegalStateException(delete.dn() + " has subordinates");
    }
    changer.delete(delete.entryId(), delete.dn());
    return delete.entryId();
  }
}
