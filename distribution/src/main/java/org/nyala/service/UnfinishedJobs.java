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
  private static final String NEXT =
      "the next import or restore begins anew, and it or the next start of the server";

  private UnfinishedJobs() {}

  /**
   * Returns a line for a job that is about to begin, or nothing if none was killed.
   *
   * @param job the name of the job that begins and deletes the remains
   */
  public static Optional<String> before(String job, NyalaConfig configuration) {
    return line(configuration, "this " + job + " begins anew and");
  }

  /** Returns a line for a data directory that no server serves, or nothing if none was killed. */
  public static Optional<String> ofIdle(NyalaConfig configuration) {
    return line(configuration, NEXT);
  }

  /** Logs the line for a server that is about to start. */
  public static void tell(NyalaConfig configuration) {
    ofIdle(configuration).ifPresent(line -> LOG.log(System.Logger.Level.WARNING, line));
  }

  private static Optional<String> line(NyalaConfig configuration, String next) {
    try {
      List<Path> remains = StagedDirectory.unfinished(configuration.data());
      // The lock may be that of the job, which goes on, or of a server that has deleted the
      // remains.
      if (remains.isEmpty() || StoreLock.isHeld(configuration.data())) {
        return Optional.empty();
      }
      String state =
          configuration.hasData() ? "the data is as it was before it" : "there is still no data";
      return Optional.of(
          "an earlier import, restore or compaction did not finish: "
              + state
              + "; "
              + next
              + " deletes "
              + remains.stream().map(Path::toString).collect(Collectors.joining(" and ")));
    } catch (IOException _) {
      // A directory that cannot be read is reported by what reads its data.
      return Optional.empty();
    }
  }
}
