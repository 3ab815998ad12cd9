package org.nyala.lmdb.ldif;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.backend.Csn;

/**
 * The entries of an import that are stored although a server cannot use them fully: entries that
 * are too large to be changed, passwords that need more work to check than a server does or that it
 * cannot check at all, and change sequence numbers that cannot be used.
 *
 * <p>Confined to one running operation.
 */
final class ImportWarnings {
  private final int changeableBytes;
  private final UnusablePasswords unusable = new UnusablePasswords();
  private long passwords;
  private String firstPassword = "";
  private long csns;
  private String firstCsn = "";
  private long large;
  private String firstLarge = "";
  private long largestBytes;

  /**
   * Starts without warnings.
   *
   * @param changeableBytes bytes of a record beyond which an entry is too large to be changed
   */
  ImportWarnings(int changeableBytes) {
    this.changeableBytes = changeableBytes;
  }

  /** Counts the warnings about an entry that was stored. */
  void note(ImportBatch batch, ImportBatch.Row row) {
    if (row.costlyPasswords > 0) {
      if (passwords == 0) {
        firstPassword =
            "line " + row.costlyLine + " of " + batch.file + ", requires " + row.costlyExcess;
      }
      passwords += row.costlyPasswords;
    }
    for (String scheme : row.unusableSchemes) {
      unusable.add(scheme, row.unusableName);
    }
    if (row.badCsns > 0) {
      if (csns == 0) {
        firstCsn = "line " + row.badCsnLine + " of " + batch.file;
      }
      csns += row.badCsns;
    }
    int bytes = row.recordEnd - row.recordStart;
    if (bytes > changeableBytes) {
      if (large++ == 0) {
        firstLarge = "line " + row.line + " of " + batch.file + ", " + bytes + " bytes";
      }
      largestBytes = Math.max(largestBytes, bytes);
    }
  }

  /** Returns one line for all warnings of a kind; none if there are none. */
  List<String> lines() {
    List<String> lines = new ArrayList<>(unusable.lines());
    if (passwords > 0) {
      lines.add(
          passwords
              + (passwords == 1 ? " password" : " passwords")
              + " cannot be used, as checking takes too much work; the first, "
              + firstPassword);
    }
    if (csns > 0) {
      lines.add(
          csns
              + (csns == 1 ? " change sequence number" : " change sequence numbers")
              + " not used, as the time does not exist or is more than "
              + Csn.MOST_AHEAD.toHours()
              + " hours ahead, and entries got new ones; the first, "
              + firstCsn);
    }
    if (large > 0) {
      lines.add(
          large
              + (large == 1 ? " entry is" : " entries are")
              + " more than a sixteenth of this heap, and a server with less than "
              + EntryBounds.heapMebibytes(largestBytes)
              + " MiB of heap does not let all of them grow; the first, "
              + firstLarge);
    }
    return lines;
  }
}
