package org.nyala.cli.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.LmdbEnvironment;
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
}
