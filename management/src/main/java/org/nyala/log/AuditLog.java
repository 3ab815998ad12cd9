package org.nyala.log;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;

/**
 * The audit log: writes every change that is on disk as a change record of LDIF (RFC 2849),
 * preceded by its author and time. Applied in order to the former state, the records yield the
 * current one.
 *
 * <p>Thread-safe. No caller waits for it: it drops records that it cannot write and logs their
 * number.
 */
public final class AuditLog implements ChangeListener, WrittenLog {
  private static final byte[] CHANGE_TYPE = "changetype".getBytes(US_ASCII);
  private static final byte[] NO = {'0'};
  private static final long RECORD_BYTES = 256;
  private static final long VALUE_BYTES = 32;

  private final LogWriter writer;
  private final InstantSource clock;

  private AuditLog(LogWriter writer, InstantSource clock) {
    this.writer = writer;
    this.clock = clock;
  }

  /**
   * Opens the log.
   *
   * @throws IOException if its file cannot be written
   */
  public static AuditLog open(LogSettings settings, InstantSource clock) throws IOException {
    LogWriter writer =
        LogWriter.start(
            settings,
            "audit",
            count ->
                "# " + clock.instant() + " " + count + " changes are not written down here\n\n");
    return new AuditLog(writer, clock);
  }

  /** Returns the number of dropped changes. */
  @Override
  public long dropped() {
    return writer.dropped();
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    Instant now = clock.instant();
    for (CommittedChange each : changes) {
      // Without the image, which is not needed here.
      String csn = each.hasNumber() ? each.csn().toString() : "none";
      writer.add(new Line(now, each.change(), csn, each.author()));
    }
  }

  /** Writes the changes in the queue, then closes the log. */
  @Override
  public void close() {
    writer.close();
  }

  private record Line(Instant time, ResolvedChange change, String csn, Dn author)
      implements LogRecord {
    @Override
    public long bytes() {
      return RECORD_BYTES
          + switch (change) {
            case ResolvedChange.Add add -> entryBytes(add.entry());
            case ResolvedChange.Modify modify -> changeBytes(modify.changes());
            case ResolvedChange.Rename rename -> changeBytes(rename.changes());
            case ResolvedChange.Delete _ -> 0;
          };
    }

    private static long entryBytes(Entry entry) {
      long sum = 0;
      for (AttributeDescription description : entry.descriptions()) {
        List<byte[]> values = entry.values(description);
        sum += values == null ? 0 : valueBytes(values);
      }
      return sum;
    }

    private static long changeBytes(List<AttributeChange> changes) {
      long sum = 0;
      for (AttributeChange each : changes) {
        sum +=
            switch (each) {
              case AttributeChange.Replaced replaced -> valueBytes(replaced.values());
              case AttributeChange.Updated updated ->
                  valueBytes(updated.removed()) + valueBytes(updated.added());
            };
      }
      return sum;
    }

    private static long valueBytes(List<byte[]> values) {
      long sum = 0;
      for (byte[] value : values) {
        sum += VALUE_BYTES + value.length;
      }
      return sum;
    }

    @Override
    public void appendTo(StringBuilder text) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (LdifWriter ldif = new LdifWriter(bytes, LdifWriter.DEFAULT_COLUMNS)) {
        String who = author.rdnCount() == 0 ? "" : " by " + LogText.plain(author.toString());
        ldif.comment(time + " csn=" + csn + who);
        write(ldif);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      text.append(bytes.toString(UTF_8));
    }

    private void write(LdifWriter ldif) throws IOException {
      switch (change) {
        case ResolvedChange.Add add -> {
          begin(ldif, add.dn(), "add");
          entry(ldif, add.entry());
        }
        case ResolvedChange.Delete delete -> begin(ldif, delete.dn(), "delete");
        case ResolvedChange.Modify modify -> {
          begin(ldif, modify.dn(), "modify");
          changes(ldif, modify.changes());
        }
        case ResolvedChange.Rename rename -> rename(ldif, rename);
      }
      ldif.end();
    }

    private static void begin(LdifWriter ldif, Dn dn, String kind) throws IOException {
      ldif.dn(dn.raw());
      line(ldif, CHANGE_TYPE, kind.getBytes(US_ASCII));
    }

    private static void entry(LdifWriter ldif, Entry entry) throws IOException {
      for (AttributeDescription description : entry.descriptions()) {
        List<byte[]> values = entry.values(description);
        if (values != null) {
          values(ldif, description, values);
        }
      }
    }

    private static void changes(LdifWriter ldif, List<AttributeChange> changes) throws IOException {
      for (AttributeChange each : changes) {
        switch (each) {
          case AttributeChange.Replaced replaced ->
              change(ldif, "replace", replaced.description(), replaced.values());
          case AttributeChange.Updated updated -> {
            if (!updated.removed().isEmpty()) {
              change(ldif, "delete", updated.description(), updated.removed());
            }
            if (!updated.added().isEmpty()) {
              change(ldif, "add", updated.description(), updated.added());
            }
          }
        }
      }
    }

    private static void change(
        LdifWriter ldif, String kind, AttributeDescription description, List<byte[]> values)
        throws IOException {
      line(ldif, kind.getBytes(US_ASCII), description.nameBytes());
      values(ldif, description, values);
      ldif.raw(new byte[] {'-', '\n'}, 0, 2);
    }

    private static void values(
        LdifWriter ldif, AttributeDescription description, List<byte[]> values) throws IOException {
      for (byte[] value : values) {
        line(ldif, description.nameBytes(), value);
      }
    }

    /** The changes of attributes, those of the name included, follow as a separate record. */
    private static void rename(LdifWriter ldif, ResolvedChange.Rename rename) throws IOException {
      begin(ldif, rename.dn(), "modrdn");
      line(ldif, "newrdn".getBytes(US_ASCII), rename.newDn().rdn(0));
      line(ldif, "deleteoldrdn".getBytes(US_ASCII), NO);
      if (!rename.newDn().parent().equals(rename.dn().parent())) {
        line(ldif, "newsuperior".getBytes(US_ASCII), rename.newDn().parent().raw());
      }
      if (!rename.changes().isEmpty()) {
        ldif.end();
        begin(ldif, rename.newDn(), "modify");
        changes(ldif, rename.changes());
      }
    }

    private static void line(LdifWriter ldif, byte[] name, byte[] value) throws IOException {
      ldif.attribute(name, value, 0, value.length);
    }
  }
}
