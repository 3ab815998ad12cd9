package org.nyala.cli.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.export.ChangeDetails;
import org.nyala.lmdb.export.ChangesExport;
import org.nyala.lmdb.journal.TrimmedChangesException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala changes}. */
@Command(
    name = "changes",
    description = {
      "Prints which entries were changed, in order: kind, name of the entry now, entryUUID,"
          + " number.",
      "With modificationLog.mebibytes also who has changed it, except for deletions, and which"
          + " attributes; not their values.",
      "The journal of changes is bounded by store.journalChanges, journalMebibytes and"
          + " journalHours.",
      "A server may be running on the data directory."
    })
public final class ChangesCommand extends DataCommand {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The forms of the output. */
  enum Format {
    ldif,
    json
  }

  @Option(
      names = "--since",
      paramLabel = "COOKIE",
      description = {
        "Print the changes after this moment: the cookie of the last change that is known, or one "
            + "of a consumer of OpenLDAP (rid=001,csn=...).",
        "If the journal no longer has all of them, or the data lacks changes of the cookie, none is"
            + " printed: exit code 9.",
        "Default: all changes in the journal."
      })
  private @Nullable String since;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "ldif",
      description =
          "ldif, or json: an object on a line for each change. Default: ${DEFAULT-VALUE}.")
  private Format format = Format.ldif;

  @Option(names = "--follow", description = "Go on with changes as they are made, until ended.")
  private boolean isFollowing;

  @Override
  public Integer call() throws IOException {
    CsnVector known = since == null ? null : cookie(since);
    NyalaConfig configuration = data().configuration();
    configuration.requireData();
    Schema schema = configuration.schema(Installation.current());
    ChangeFormat writer = format == Format.json ? new JsonChanges(out()) : new LdifChanges(out());
    try {
      print(configuration, schema, known, writer);
    } catch (TrimmedChangesException e) {
      throw new CommandException(ExitCode.TOO_OLD, ErrorMessages.line(e));
    }
    return ExitCode.OK;
  }

  private CsnVector cookie(String text) {
    SyncCookie cookie = SyncCookie.parse(text);
    if (cookie == null) {
      throw wrongUsage(
          "--since: expected a cookie such as rid=000,csn=CSN;CSN, not '" + text + "'");
    }
    return cookie.csns();
  }

  private void print(
      NyalaConfig configuration, Schema schema, @Nullable CsnVector known, ChangeFormat writer)
      throws IOException {
    Path file = configuration.data().resolve(LmdbEnvironment.DATA_FILE);
    ChangesExport export = null;
    boolean isOver;
    do {
      @Nullable Object opened = identity(file);
      try (LmdbBackend backend =
          LmdbBackend.open(configuration.data(), schema, configuration.store().asReadOnly())) {
        if (export == null) {
          export = new ChangesExport(backend, known);
        } else {
          export.goOnIn(backend);
        }
        isOver = follow(export, writer, file, opened);
      }
    } while (!isOver);
  }

  /**
   * Prints until there are no more changes or, when following, the command is ended.
   *
   * @return false if the data file was replaced, by a compaction for example: it must be opened
   *     again
   */
  private boolean follow(
      ChangesExport export, ChangeFormat writer, Path file, @Nullable Object opened)
      throws IOException {
    while (true) {
      export.run(writer::write);
      out().flush();
      if (!isFollowing || out().checkError()) {
        return true;
      }
      Object now = identity(file);
      if (now != null && !now.equals(opened)) {
        // Changes that were committed to the old file before it was replaced are in the new one.
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
      if (Thread.interrupted()) {
        return true;
      }
    }
  }

  /** Returns what tells a file from another one of its name; null if it is about to be replaced. */
  private static @Nullable Object identity(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException _) {
      return null;
    }
  }

  /** Prints changes as JSON, an object on a line for each. Confined to one running operation. */
  static final class JsonChanges implements ChangeFormat {
    private final PrintWriter out;

    JsonChanges(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void write(
        JournalEntry change,
        byte @Nullable [] dn,
        @Nullable ChangeDetails details,
        CsnVector upTo) {
      JsonObject json = new JsonObject();
      json.addProperty("sequence", change.sequence());
      json.addProperty("kind", change.kind().name().toLowerCase(Locale.ROOT));
      if (dn != null) {
        json.addProperty("dn", new String(dn, StandardCharsets.UTF_8));
      }
      if (!change.entryUuid().equals(NO_UUID)) {
        json.addProperty("entryUUID", change.entryUuid().toString());
      }
      json.addProperty("csn", change.csn().toString());
      if (change.movesSubordinates()) {
        json.addProperty("movesSubordinates", true);
      }
      if (details != null) {
        if (!details.author().isEmpty()) {
          json.addProperty("author", details.author());
        }
        JsonArray names = new JsonArray();
        details.attributes().forEach(names::add);
        json.add("attributes", names);
      }
      json.addProperty("cookie", SyncCookie.of(upTo).toString());
      out.println(json);
    }
  }

  /**
   * Prints changes as LDIF: an entry for each, with the attributes of a change log
   * (draft-good-ldap-changelog) and those that a consumer of changes needs.
   *
   * <p>Confined to one running operation.
   */
  static final class LdifChanges implements ChangeFormat {
    private final PrintWriter out;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final LdifWriter writer = new LdifWriter(bytes, LdifWriter.NO_FOLDING);

    LdifChanges(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void write(
        JournalEntry change, byte @Nullable [] dn, @Nullable ChangeDetails details, CsnVector upTo)
        throws IOException {
      writer.dn(bytes("changeNumber=" + change.sequence() + ",cn=changelog"));
      attribute("objectClass", "changeLogEntry");
      attribute("changeNumber", Long.toString(change.sequence()));
      attribute("changeType", type(change.kind()));
      if (dn != null) {
        writer.attribute(bytes("targetDN"), dn, 0, dn.length);
      }
      if (!change.entryUuid().equals(NO_UUID)) {
        attribute("entryUUID", change.entryUuid().toString());
      }
      attribute("entryCSN", change.csn().toString());
      if (change.movesSubordinates()) {
        attribute("movesSubordinates", "TRUE");
      }
      if (details != null) {
        if (!details.author().isEmpty()) {
          attribute("changeAuthor", details.author());
        }
        for (String name : details.attributes()) {
          attribute("changedAttribute", name);
        }
      }
      attribute("syncreplCookie", SyncCookie.of(upTo).toString());
      writer.end();
      writer.flush();
      out.print(bytes.toString(StandardCharsets.UTF_8));
      bytes.reset();
    }

    private static String type(JournalEntry.Kind kind) {
      return switch (kind) {
        case ADD -> "add";
        case MODIFY -> "modify";
        case DELETE -> "delete";
        case RENAME -> "modrdn";
      };
    }

    private void attribute(String name, String value) throws IOException {
      byte[] text = bytes(value);
      writer.attribute(bytes(name), text, 0, text.length);
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }
}
