package org.nyala.service;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;

/**
 * Checks before a start whether the server may write to its files, because a later failure gives
 * less information. Stateless.
 */
public final class WritableDataCheck {
  private static final List<String> FILES = List.of("data.mdb", "lock.mdb", "nyala.lock");

  private WritableDataCheck() {}

  /**
   * Throws if this process cannot write to the data directory.
   *
   * @throws CommandException with {@link ExitCode#UNWRITABLE}, naming the file and the reason
   */
  public static void require(NyalaConfig configuration) {
    Path data = configuration.data().toAbsolutePath();
    requireWritable(existing(data));
    for (String name : FILES) {
      Path file = data.resolve(name);
      if (Files.exists(file)) {
        requireWritable(file);
      }
    }
  }

  /** Returns the folder, or its nearest parent that exists. */
  private static Path existing(Path folder) {
    Path result = folder;
    @Nullable Path above = folder.getParent();
    while (above != null && !Files.exists(result)) {
      result = above;
      above = result.getParent();
    }
    return result;
  }

  private static void requireWritable(Path path) {
    if (!Files.isWritable(path)) {
      throw new CommandException(
          ExitCode.UNWRITABLE, "cannot write to " + path + ": " + reason(path));
    }
  }

  private static String reason(Path path) {
    try {
      tryToWrite(path);
    } catch (AccessDeniedException e) {
      // The owner gives more information.
    } catch (FileSystemException e) {
      // Without the file, which exists for the trial only.
      return ErrorMessages.reason(
          e.getReason() == null ? e : new FileSystemException(null, null, e.getReason()));
    } catch (IOException e) {
      return ErrorMessages.reason(e);
    }
    try {
      return "it belongs to "
          + Files.getOwner(path).getName()
          + " ("
          + PosixFilePermissions.toString(Files.getPosixFilePermissions(path))
          + "), and the server runs as "
          + System.getProperty("user.name");
    } catch (IOException e) {
      return ErrorMessages.reason(e);
    }
  }

  /**
   * Tries to write, so that the system reports the reason: a file system mounted read-only, for
   * one.
   */
  private static void tryToWrite(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      Files.delete(Files.createTempFile(path, "nyala", null));
    } else {
      FileChannel.open(path, StandardOpenOption.WRITE).close();
    }
  }
}
