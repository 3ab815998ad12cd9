package org.nyala.lmdb.env;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A commit of the writer, for flight recordings: its duration is the time to write the pages and to
 * wait for the disk.
 *
 * <p>Confined to the thread that makes it.
 */
@Name(CommitEvent.NAME)
@Label("Commit")
@Category("Nyala")
@StackTrace(false)
@Description("A commit of the store: writing its pages, and waiting until the disk has them.")
public final class CommitEvent extends Event {
  public static final String NAME = "org.nyala.Commit";

  /** The kernel's I/O counters of the calling thread. */
  private static final Path COUNTERS = Path.of("/proc/thread-self/io");

  private static final String WRITTEN = "wchar: ";
  private static final long UNKNOWN = -1;

  @Label("Transaction")
  @Description("The number of the transaction; increases by one each time.")
  final long transaction;

  @Label("Changes")
  @Description("Entries added, changed or deleted; 0 if indexes or the schema changed.")
  final long changes;

  @Label("Written")
  @Description("Bytes written to the data file; -1 if the kernel does not report them.")
  @DataAmount(DataAmount.BYTES)
  long written = UNKNOWN;

  @Label("Pages")
  @Description("The same in pages; -1 if the kernel does not report them.")
  long pages = UNKNOWN;

  /**
   * True if the event was enabled when it began; a commit that began before the recording has no
   * start time.
   */
  private transient boolean hasBegun;

  private CommitEvent(long transaction, long changes) {
    this.transaction = transaction;
    this.changes = changes;
  }

  /** Begins the event of a commit that the calling thread is about to make. */
  public static CommitEvent begun(long transaction, long changes) {
    CommitEvent event = new CommitEvent(transaction, changes);
    if (event.isEnabled()) {
      event.hasBegun = true;
      event.written = written();
      event.begin();
    }
    return event;
  }

  /** Ends the event after the commit. */
  public void done(int pageBytes) {
    if (!hasBegun) {
      return;
    }
    end();
    if (!shouldCommit()) {
      return;
    }
    long before = written;
    long now = written();
    boolean isKnown = before != UNKNOWN && now != UNKNOWN;
    written = isKnown ? now - before : UNKNOWN;
    pages = isKnown ? written / pageBytes : UNKNOWN;
    commit();
  }

  private static long written() {
    try {
      for (String line : Files.readAllLines(COUNTERS, US_ASCII)) {
        if (line.startsWith(WRITTEN)) {
          return Long.parseLong(line.substring(WRITTEN.length()));
        }
      }
    } catch (IOException | NumberFormatException _) {
      // The kernel has no such counters: the event has no number of bytes.
    }
    return UNKNOWN;
  }
}
