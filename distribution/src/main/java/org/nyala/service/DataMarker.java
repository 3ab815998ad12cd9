package org.nyala.service;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.LmdbSettings;

/**
 * The note beside a configuration file that its data directories have had data: a file of the same
 * name and {@value #SUFFIX}, with a directory in each line. A start that finds no data where some
 * was does not make an empty directory: the file system of the data may not be mounted. Stateless.
 */
public final class DataMarker {
  private static final System.Logger LOG = System.getLogger(DataMarker.class.getName());
  private static final String SUFFIX = ".data";

  private DataMarker() {}

  /**
   * Refuses to create a directory without entries where it may not be.
   *
   * @param file the configuration file; nothing if there is none
   * @throws CommandException if there is no data, and there was some or store.create forbids it
   */
  public static void requireNone(Optional<Path> file, NyalaConfig configuration) {
    if (configuration.hasData()) {
      return;
    }
    String missing = "there is no directory data in " + configuration.data().toAbsolutePath();
    switch (configuration.store().creation()) {
      case ALWAYS -> {}
      case NEVER ->
          throw CommandException.usage(
              missing + ", and store.create = never: is its file system mounted?");
      case AUTO ->
          file.map(DataMarker::marker)
              .filter(marker -> lines(marker).contains(line(configuration)))
              .ifPresent(
                  marker -> {
                    throw CommandException.usage(
                        missing
                            + ", though there was some: is its file system mounted? To begin anew"
                            + " without entries, delete its line in "
                            + marker.toAbsolutePath());
                  });
    }
  }

  /** Returns a line for an administrator who creates data where there was some; or nothing. */
  public static Optional<String> lost(Optional<Path> file, NyalaConfig configuration) {
    return file.map(DataMarker::marker)
        .filter(marker -> !configuration.hasData() && lines(marker).contains(line(configuration)))
        .map(
            _ ->
                "there was data in "
                    + configuration.data().toAbsolutePath()
                    + " before, and there is none now: is its file system mounted?");
  }

  /** Notes that there is data. A start goes on if that is impossible. */
  public static void note(Optional<Path> file, NyalaConfig configuration) {
    boolean isToNote =
        file.isPresent()
            && configuration.hasData()
            && configuration.store().creation() == LmdbSettings.Creation.AUTO;
    if (!isToNote) {
      return;
    }
    Path marker = marker(file.get());
    List<String> lines = new ArrayList<>(lines(marker));
    if (lines.contains(line(configuration))) {
      return;
    }
    lines.add(line(configuration));
    Path next = marker.resolveSibling(marker.getFileName() + ".new");
    try {
      Files.write(next, lines);
      Files.move(next, marker, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      discard(next);
      if (!configuration.suffixes().isEmpty()) {
        LOG.log(
            Level.INFO,
            "cannot note beside the configuration that there is data: {0}; with store.create ="
                + " never no start makes an empty directory when the file system of the data is not"
                + " mounted",
            FileFailures.reason(e));
      }
    }
  }

  private static void discard(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "{0}", FileFailures.reason(e));
    }
  }

  private static Path marker(Path file) {
    return file.resolveSibling(file.getFileName() + SUFFIX);
  }

  private static String line(NyalaConfig configuration) {
    return configuration.data().toAbsolutePath().normalize().toString();
  }

  private static List<String> lines(Path marker) {
    try {
      return Files.isRegularFile(marker) ? Files.readAllLines(marker) : List.of();
    } catch (IOException e) {
      LOG.log(Level.WARNING, "{0}", FileFailures.reason(e));
      return List.of();
    }
  }
}
