package org.nyala.core.replica;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The entries of a naming context that a provider has not named in a present phase, found by a scan
 * while nothing changes there. Those count as deleted whose last change the provider knows: others
 * come from servers that it has never heard of, and stay, unless they are the rest of a refresh
 * that was not ended.
 *
 * <p>Confined to one thread.
 */
final class AbsentEntries {
  private static final String ENTRY_CSN_OID = "1.3.6.1.4.1.4203.666.1.7";

  private final @Nullable AttributeType entryCsn;
  private final EntryIds listed;
  private final @Nullable CsnVector known;
  private final @Nullable CsnVector trusted;
  private final EntryIds absent = new EntryIds();
  private final ValueCursor values = new ValueCursor();
  private long total;
  private long foreign;

  private AbsentEntries(
      Schema schema, EntryIds listed, @Nullable CsnVector known, @Nullable CsnVector trusted) {
    this.trusted = trusted;
    this.entryCsn = schema.attributeType(ENTRY_CSN_OID);
    this.listed = listed;
    this.known = known;
  }

  /**
   * Scans a naming context.
   *
   * @param listed the entries that the provider has named
   * @param known the changes that it knows; null if all entries count that it has not named
   * @param trusted the changes besides which all count, too; null if none do
   */
  static AbsentEntries scan(
      Backend backend,
      Schema schema,
      Dn suffix,
      EntryIds listed,
      @Nullable CsnVector known,
      @Nullable CsnVector trusted) {
    AbsentEntries scan = new AbsentEntries(schema, listed, known, trusted);
    scan.total =
        ContextWalk.over(
            backend, suffix, (transaction, entry) -> scan.examine(entry, transaction.attributes()));
    return scan;
  }

  private void examine(EntryView view, AttributeTable table) {
    if (listed.contains(view.id())) {
      return;
    }
    Csn csn = csn(view, table);
    boolean isRest = trusted != null && !isKnown(csn, trusted);
    if (known == null || isRest || isKnown(csn, known)) {
      absent.add(view.id());
    } else {
      foreign++;
    }
  }

  private static boolean isKnown(@Nullable Csn csn, CsnVector known) {
    return csn != null && known.covers(csn);
  }

  private @Nullable Csn csn(EntryView view, AttributeTable table) {
    if (entryCsn == null) {
      return null;
    }
    int number = table.id(AttributeDescription.of(entryCsn));
    for (int i = 0; i < view.attributeCount(); i++) {
      if (view.attributeId(i) == number && values.open(view, i).next()) {
        byte[] value = values.value();
        return Csn.parse(value, 0, value.length);
      }
    }
    return null;
  }

  /** Returns the entries to delete. */
  EntryIds ids() {
    return absent;
  }

  long total() {
    return total;
  }

  /** Returns the number of entries that stay because the provider does not know their changes. */
  long foreign() {
    return foreign;
  }
}
