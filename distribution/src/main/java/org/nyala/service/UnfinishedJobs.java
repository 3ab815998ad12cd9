package org.nyala.service;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nyala.config.NyalaConfig;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreLock;

/**
 * Reports imports and restores of a data directory that were killed before their data was in place.
 * Stateless.
 */
public final class UnfinishedJobs {
  private static final System.Logger LOG = System.getLogger(UnfinishedJobs.class.getName());
  private static final String NEXT = "the next import or restore";

  private UnfinishedJobs() {}

  /**
   * Returns a line for a job that is about to begin, or nothing if none was killed.
   *
   * @param job the name of the job that begins and deletes the remains
   */
  public static Optional<String> before(String job, NyalaConfig configuration) {
    return line(configuration, false, "this " + job);
  }

  /** Returns a line for a data directory that no server serves, or nothing if none was killed. */
  public static Optional<String> ofIdle(NyalaConfig configuration) {
    return line(configuration, false, NEXT);
  }

  /** Returns a line for a data directory that a server serves, or nothing if none was killed. */
  public static Optional<String> ofServed(NyalaConfig configuration) {
    return line(configuration, true, NEXT);
  }

  /** Logs the line for a server that is about to start. */
  public static void tell(NyalaConfig configuration) {
    ofIdle(configuration).ifPresent(line -> LOG.log(System.Logger.Level.WARNING, line));
  }

  private static Optional<String> line(NyalaConfig configuration, boolean isServed, String next) {
    try {
      List<Path> remains = StagedDirectory.unfinished(configuration.data());
      // The lock of a server excludes jobs; any other may be that of a job that goes on.
      if (remains.isEmpty() || !isServed && StoreLock.isHeld(configuration.data())) {
        return Optional.empty();
      }
      String state =
          configuration.hasData() ? "the data is as it was before it" : "there is still no data";
      return Optional.of(
          "an earlier import or restore did not finish: "
              + state
              + "; "
              + next
              + " begins anew and deletes "
              + remains.stream().map(Path::toString).collect(Collectors.joining(" and ")));
    } catch (IOException _) {
      // A directory that cannot be read is reported by what reads its data.
      return Optional.empty();
    }
  }
}
