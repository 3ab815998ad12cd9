package org.nyala.service;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.nyala.config.NyalaConfig;

/**
 * Logs folders, and the file of access rules, that other users can access. Folders made by the
 * server are private; an administrator's own are theirs to correct. Stateless.
 */
public final class OpenFolders {
  private static final System.Logger LOG = System.getLogger(OpenFolders.class.getName());
  private static final Set<PosixFilePermission> WRITERS =
      Set.of(PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.OTHERS_EXECUTE);

  /** The condition for logs, which may be in a folder of the whole machine, such as /var/log. */
  private static final String IF_OWN = ", if it is the server's alone";

  private OpenFolders() {}

  /** Logs a line for each folder of a server that other users can access. */
  public static void tell(NyalaConfig configuration) {
    for (String problem : problems(configuration)) {
      LOG.log(Level.WARNING, problem);
    }
  }

  /** Logs a line if others than the owner can write the file of access rules. */
  public static void tellOfRules(NyalaConfig configuration) {
    for (String problem : problemsOfRules(configuration)) {
      LOG.log(Level.WARNING, problem);
    }
  }

  /** Returns the problems of the file of access rules, with the commands that correct them. */
  static List<String> problemsOfRules(NyalaConfig configuration) {
    List<String> problems = new ArrayList<>();
    if (configuration.accessRules().isPresent()) {
      Path file = configuration.accessRules().get().path().toAbsolutePath().normalize();
      look(folder(file), false, "", problems);
      lookAtRules(file, problems);
    }
    return List.copyOf(problems);
  }

  private static void lookAtRules(Path file, List<String> problems) {
    try {
      Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
      if (allowed.stream().anyMatch(WRITERS::contains)) {
        problems.add(
            file
                + " ("
                + PosixFilePermissions.toString(allowed)
                + ") can be written to by others than its owner, who can give themselves any right:"
                + " chmod go-w "
                + file);
      }
    } catch (IOException | UnsupportedOperationException e) {
      // A file system without permissions has none to correct.
    }
  }

  /** Returns the problems of the folders, with the commands that correct them. */
  static List<String> problems(NyalaConfig configuration) {
    List<String> problems = new ArrayList<>();
    Path data = configuration.data().toAbsolutePath().normalize();
    look(data, true, "", problems);
    Set<Path> others = new LinkedHashSet<>();
    others.add(folder(RunDirectory.of(configuration).logFile()));
    configuration.logs().access().ifPresent(log -> others.add(folder(log.settings().file())));
    configuration.logs().audit().ifPresent(log -> others.add(folder(log.file())));
    configuration.logs().security().ifPresent(log -> others.add(folder(log.file().file())));
    for (Path other : others) {
      // Users without access to the data directory cannot reach a folder in it either.
      look(other, !other.startsWith(data), IF_OWN, problems);
    }
    problems.addAll(problemsOfRules(configuration));
    return List.copyOf(problems);
  }

  private static Path folder(Path file) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    return folder == null ? file.toAbsolutePath() : folder;
  }

  /**
   * Adds the problems of a folder: writing replaces its files, reading shows names and sizes.
   *
   * @param isSecret whether no other user may read it
   * @param condition the condition for closing it
   */
  private static void look(Path folder, boolean isSecret, String condition, List<String> problems) {
    if (!Files.isDirectory(folder)) {
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
        problems.add(
            folder + " (" + mode + ") is open to every user: chmod o= " + folder + condition);
      }
    } catch (IOException | UnsupportedOperationException e) {
      // A file system without permissions has none to correct.
    }
  }
}
