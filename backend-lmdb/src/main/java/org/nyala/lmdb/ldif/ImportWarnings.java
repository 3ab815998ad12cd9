package org.nyala.lmdb.ldif;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.nyala.core.backend.Csn;
import org.nyala.core.bytes.PrintableText;

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

  /**
   * The imported passwords that no login can match, counted by their schemes.
   *
   * <p>Confined to one running operation.
   */
  private static final class UnusablePasswords {
    private static final int SCHEMES_MAXIMUM = 16;
    private static final int NAMES_MAXIMUM = 3;
    private static final int NAME_CHARACTERS = 300;
    private static final String OTHERS = "other schemes";

    private final Map<String, Passwords> schemes = new TreeMap<>();

    /** The passwords of one scheme. Confined to one running operation. */
    private static final class Passwords {
      private long count;
      private final List<String> names = new ArrayList<>(NAMES_MAXIMUM);

      void add(String written) {
        count++;
        String name = PrintableText.of(written, NAME_CHARACTERS);
        if (names.size() < NAMES_MAXIMUM && !names.contains(name)) {
          names.add(name);
        }
      }

      String line(String scheme) {
        return count
            + (count == 1 ? " password lets" : " passwords let")
            + " nobody in: "
            + scheme
            + " is not supported. First: "
            + String.join("; ", names);
      }
    }

    /** Counts a password of an entry. */
    void add(String scheme, String name) {
      boolean hasRoom = schemes.size() < SCHEMES_MAXIMUM || schemes.containsKey(scheme);
      schemes.computeIfAbsent(hasRoom ? scheme : OTHERS, _ -> new Passwords()).add(name);
    }

    /** Returns a line for each scheme. */
    List<String> lines() {
      List<String> lines = new ArrayList<>();
      schemes.forEach((scheme, passwords) -> lines.add(passwords.line(scheme)));
      return lines;
    }
  }
}
