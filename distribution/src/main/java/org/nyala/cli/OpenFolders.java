package org.nyala.cli;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells of folders that let others in than their owner. What the server makes is private; what an
 * administrator has made is theirs to mend. Stateless.
 */
final class OpenFolders {
  private static final System.Logger LOG = System.getLogger(OpenFolders.class.getName());
  private static final Set<PosixFilePermission> WRITERS =
      Set.of(PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.OTHERS_EXECUTE);

  private OpenFolders() {}

  /** Writes a line of the log for each folder of a server that is open. */
  static void tell(NyalaConfig configuration) {
    for (String problem : problems(configuration)) {
      LOG.log(Level.WARNING, problem);
    }
  }

  /** The problems of the folders, and the commands that mend them. */
  static List<String> problems(NyalaConfig configuration) {
    List<String> problems = new ArrayList<>();
    Path data = configuration.data().toAbsolutePath();
    look(data, true, problems);
    Path run = configuration.runDirectory().logFile().toAbsolutePath().getParent();
    if (run != null && !data.equals(run.getParent())) {
      look(run, false, problems);
    }
    configuration.logs().access().ifPresent(log -> lookAbove(log.settings().file(), problems));
    configuration.logs().audit().ifPresent(log -> lookAbove(log.file(), problems));
    return List.copyOf(problems);
  }

  private static void lookAbove(Path file, List<String> problems) {
    look(file.toAbsolutePath().getParent(), false, problems);
  }

  /** Rights of others on a folder: writing replaces its files, reading shows names and sizes. */
  private static void look(@Nullable Path folder, boolean isSecret, List<String> problems) {
    if (folder == null || !Files.isDirectory(folder)) {
      return;
    }
    try {
      Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(folder);
      String mode = PosixFilePermissions.toString(allowed);
      if (allowed.stream().anyMatch(WRITERS::contains)) {
        problems.add(
            folder
                + " ("
                + mode
                + ") can be written to by others than its owner, who can replace its files: chmod"
                + " go-w,o= "
                + folder);
      } else if (isSecret && allowed.stream().anyMatch(OTHERS::contains)) {
        problems.add(folder + " (" + mode + ") is open to every user: chmod o= " + folder);
      }
    } catch (IOException | UnsupportedOperationException e) {
      // A file system without permissions has none to mend.
    }
  }
}
