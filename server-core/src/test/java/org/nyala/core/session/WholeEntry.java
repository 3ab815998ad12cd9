package org.nyala.core.session;

import java.util.List;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.ResponseControl;

/** An entry that a sink of tests takes as a whole, in one part. */
public record WholeEntry(
    ResponseSink sink,
    AttributeTable table,
    AttributeSelection selection,
    List<byte[]> computed,
    List<ResponseControl> controls)
    implements EntryInParts {
  @Override
  public int octets() {
    return 0;
  }

  @Override
  public void charged(long bytes) {
    if (bytes != 0) {
      throw new IllegalArgumentException("an entry of no octets has no charge");
    }
  }

  @Override
  public boolean write(EntryView entry, Pace pace) {
    sink.entry(entry, table, selection, computed, controls);
    return true;
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
