package org.nyala.extension;

import java.util.List;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryView;

/**
 * The source of a computed attribute that the table of attributes has, but no value for. Thread-
 * safe.
 */
public interface AttributeSource {
  /** Returns the object identifier of the attribute. */
  String oid();

  /**
   * Returns the values of an entry; none if it does not have the attribute. Called for each entry
   * that is shown, compared or asserted, within a slice: it reads little beside the entry.
   *
   * @param view shows the entry, during the call only
   */
  List<byte[]> values(ReadTransaction transaction, EntryView view);
}
